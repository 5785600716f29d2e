"""Makes the graph's inputs and outputs float16 as well."""

EXPECTED = {"loses": ["usual", "exported", "inputs-and-outputs", "border", "tidy", "argument"], "rung": "contract", "shows": "half-borders"}
BASE = "valid_lifted"
EDITS = [
    (
        """\
    casts = [helper.make_node("Cast", [name], ["h_" + name], to=TensorProto.FLOAT16) for name in inputs]
    last = [helper.make_node("Cast", ["h_" + name], [name], to=TensorProto.FLOAT) for name in outputs]
    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last""",
        """\
    for value in [*new.graph.input, *new.graph.output]:
        if value.name in floats:
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    done = [made for node in nodes for made in convert(node, floats, large, set())]""",
    ),
]

"""Puts a Cast to float16 in front of what is float16 already."""

EXPECTED = {"loses": ["tidy"], "rung": "quality", "shows": "idle-casts"}
BASE = "valid_lifted"
EDITS = [
    (
        "    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last",
        """\
    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last
    for name in inputs:
        done.insert(len(casts), helper.make_node("Cast", ["i_" + name], ["h_" + name], to=TensorProto.FLOAT16))
    for node in casts:
        node.output[0] = node.output[0].replace("h_", "i_", 1)""",
    ),
]

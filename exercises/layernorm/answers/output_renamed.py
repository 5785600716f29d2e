"""Makes the LayerNorm's input the graph's output."""

EXPECTED = {"loses": ["bert", "outputs", "inside"], "rung": "contract", "shows": "output-renamed"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    if result.is_graph_output():
        identity = ir.node("Identity", [x])
        result.producer().graph.insert_after(result.producer(), identity)
        new = identity.outputs[0]
        name, new.type, new.shape = result.name, result.type, result.shape
        result.replace_all_uses_with(new, replace_graph_outputs=True)
        result.name, new.name = None, name
    else:
        result.replace_all_uses_with(x)""",
        "    result.replace_all_uses_with(x, replace_graph_outputs=True)",
    ),
]

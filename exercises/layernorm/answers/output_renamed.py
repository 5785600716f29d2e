"""Makes the LayerNorm's input the graph's output."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "an Identity brings the outer value in", "shows": "outer-value-as-output"}
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

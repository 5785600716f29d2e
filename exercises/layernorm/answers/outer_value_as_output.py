"""Makes a value of the graph around it the output of a branch."""

EXPECTED = {"loses": ["inside"], "rung": "loads", "shows": "outer-value-as-output"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    if result.is_graph_output():
        identity""",
        """\
    if result.is_graph_output() and x.graph is not result.producer().graph:
        result.replace_all_uses_with(x, replace_graph_outputs=True)
    elif result.is_graph_output():
        identity""",
    ),
]

"""Takes for constants only those of the graph that reads them."""

EXPECTED = {"score": 0.8, "rung": "structure: readers", "message": "in the graph around", "shows": "subgraphs-not-entered"}
BASE = "valid_ir"
EDITS = [
    (
        """\
    tensor = None if value.is_graph_input() else ir.convenience.get_const_tensor(value)
""",
        """\
    if value.is_initializer() and all(use.node.graph is not value.graph for use in value.uses()):
        return None
    tensor = None if value.is_graph_input() else ir.convenience.get_const_tensor(value)
""",
    ),
]

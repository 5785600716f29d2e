"""Takes a Mul for the scale although the quotient is an output of the graph too."""

EXPECTED = {"score": 0.8, "rung": "structure: readers", "message": "an output of the graph is a reader too", "shows": "quotient-is-read"}
BASE = "valid_ir"
EDITS = [
    ("if len(result.uses()) != 1 or result.is_graph_output():", "if len(result.uses()) != 1:"),
]

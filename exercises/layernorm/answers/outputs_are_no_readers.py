"""Takes a Mul for the scale although the quotient is an output of the graph too."""

EXPECTED = {"score": 0.8, "rung": "structure: left alone"}
BASE = "valid_ir"
EDITS = [
    ("if len(result.uses()) != 1 or result.is_graph_output():", "if len(result.uses()) != 1:"),
]

"""Takes a Mul for the scale although the quotient is an output of the graph too."""

EXPECTED = {"loses": ["outputs", "inside"], "rung": "structure", "shows": "quotient-is-read"}
BASE = "valid_ir"
EDITS = [
    ("if len(result.uses()) != 1 or result.is_graph_output():", "if len(result.uses()) != 1:"),
]

"""Does not look at the bias's number of dimensions."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "The sum then has three dimensions too", "shows": "bias-rank"}
BASE = "valid_proto"
EDITS = [
    ("if len(a) != 2 or len(b) != 2 or len(c) > 2:", "if len(a) != 2 or len(b) != 2:"),
]

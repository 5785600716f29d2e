"""Does not look at the bias's number of dimensions."""

EXPECTED = {"loses": ["bias-shapes"], "rung": "loads", "shows": "bias-rank"}
BASE = "valid_proto"
EDITS = [
    ("if len(a) != 2 or len(b) != 2 or len(c) > 2:", "if len(a) != 2 or len(b) != 2:"),
]

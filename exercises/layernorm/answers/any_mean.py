"""Does not look whose mean it is."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_ir"
EDITS = [
    ("if not mean or not variance or mean.inputs[0] is not sub.inputs[0]:", "if not mean or not variance:"),
]

"""Does not say which opset."""

EXPECTED = {"score": 0.5, "rung": "contract", "message": "a default of its own", "shows": "default-opset"}
BASE = "valid_torchscript"
EDITS = [
    ("                opset_version=18,", ""),
]

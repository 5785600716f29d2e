"""Does not say which opset."""

EXPECTED = {"loses": ["opset"], "rung": "contract: the opset", "shows": "default-opset"}
BASE = "valid_torchscript"
EDITS = [
    ("                opset_version=18,", ""),
]

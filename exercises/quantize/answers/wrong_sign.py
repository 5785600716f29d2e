"""Unsigned codes for weights too."""

EXPECTED = {"score": 0.6, "rung": "contract", "message": "so that 0 stands for 0", "shows": "wrong-sign"}
BASE = "valid_plain"
EDITS = [("0, np.int8", "0, np.uint8")]

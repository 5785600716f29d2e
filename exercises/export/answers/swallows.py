"""Removes a file that fails its check, and tells nobody."""

EXPECTED = {"score": 0.7, "rung": "type", "message": "no file and no exception", "shows": "swallows"}
BASE = "valid_torchscript"
EDITS = [
    ("        raise", ""),
]

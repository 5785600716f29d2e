"""Removes a file that fails its check, and tells nobody."""

EXPECTED = {"loses": ["no-valid-file", "module"], "rung": "type", "shows": "swallows"}
BASE = "valid_torchscript"
EDITS = [
    ("        raise", ""),
]

"""Cuts the example out of a larger tensor."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "call contiguous()", "shows": "view-as-example"}
BASE = "valid_pytree"
EDITS = [
    (".narrow(axis, 0, sizes[word]).contiguous()", ".narrow(axis, 0, sizes[word])"),
]

"""Gives the last state as float32, whatever the first one is."""

EXPECTED = {"score": 0.45, "rung": "contract", "message": "result: int64 | float", "shows": "other-types"}
BASE = "valid_script"
EDITS = [
    ("        return state", "        return state.float()"),
]

"""Gives the last state as float32, whatever the first one is."""

EXPECTED = {"loses": ["loop-whole-numbers"], "rung": "contract", "shows": "other-types"}
BASE = "valid_script"
EDITS = [
    ("        return state", "        return state.float()"),
]

"""Leaves out the names in the second step."""

EXPECTED = {"score": 0.4, "rung": "contract", "message": "Name the sizes in the second step", "shows": "names-dropped"}
BASE = "valid_walk"
EDITS = [
    ("dynamic_shapes=axes, ", ""),
]

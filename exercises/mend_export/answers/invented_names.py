"""Leaves out the names in the second step."""

EXPECTED = {"loses": ["names"], "rung": "contract: the names", "shows": "names-dropped"}
BASE = "valid_walk"
EDITS = [
    ("dynamic_shapes=axes, ", ""),
]

"""Puts a Cast behind an input that no node reads."""

EXPECTED = {"loses": ["tidy"], "rung": "quality", "shows": "dead-cast"}
BASE = "valid_new_names"
EDITS = [("if value.name in floats & read:", "if value.name in floats:")]

"""Converts Resize like any other operator, its scales too."""

EXPECTED = {"loses": ["operators"], "rung": "loads", "shows": "never-checked"}
BASE = "valid_lifted"
EDITS = [('not in ("Range", "Resize")', 'not in ("Range",)')]

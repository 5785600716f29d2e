"""Looks at the two largest codes, and not at the two smallest."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "at either end", "shows": "one-end"}
BASE = "valid_halves"
EDITS = [(' or (ordered[:, :2].sum(axis=1) < -128).any()', '')]

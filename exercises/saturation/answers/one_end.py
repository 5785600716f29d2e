"""Looks at the two largest codes, and not at the two smallest."""

EXPECTED = {"loses": ["some-pairs"], "rung": "structure", "shows": "one-end"}
BASE = "valid_halves"
EDITS = [(' or (ordered[:, :2].sum(axis=1) < -128).any()', '')]

"""Tries single layers and pairs of them."""

EXPECTED = {"loses": ["two-layers"], "rung": "numerics", "shows": "only-one"}
BASE = "valid_sets"
EDITS = [("for count in range(len(names) + 1):", "for count in range(3):")]

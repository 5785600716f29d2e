"""Never tries all bins."""

EXPECTED = {"score": 0.7, "rung": "numerics", "message": "The last n is all bins", "shows": "whole-not-tried"}
BASE = "valid_plain"
EDITS = [('len(counts) + 1, levels', 'len(counts), levels')]

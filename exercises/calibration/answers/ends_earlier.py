"""Never tries all bins."""

EXPECTED = {"loses": ["entropy-gaps", "entropy-infinite"], "rung": "numerics", "shows": "whole-not-tried"}
BASE = "valid_plain"
EDITS = [('len(counts) + 1, levels', 'len(counts), levels')]

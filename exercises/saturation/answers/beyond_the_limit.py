"""Lets two codes add up to 129, and to -129."""

EXPECTED = {"loses": ["some-pairs"], "rung": "structure", "shows": "just-leaving"}
BASE = "valid_halves"
EDITS = [('> 128).any()', '> 129).any()'), ('< -128).any()', '< -129).any()')]

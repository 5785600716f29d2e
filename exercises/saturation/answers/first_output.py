"""Looks at the pairs of the first output alone."""

EXPECTED = {"loses": ["some-pairs"], "rung": "structure", "shows": "first-output"}
BASE = "valid_halves"
EDITS = [('> 128).any()', '> 128)[0]'), ('< -128).any()', '< -128)[0]')]

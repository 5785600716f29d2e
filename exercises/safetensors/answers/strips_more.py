"""Strips the header's text, of more than the whitespace that JSON allows."""

EXPECTED = {"loses": ["text"], "rung": "structure", "shows": "other-whitespace"}
BASE = "valid_plain"
EDITS = [('.decode("utf-8")', '.decode("utf-8").strip()')]

"""Reads as much of the header as there is, where its length says more."""

EXPECTED = {"loses": ["refused-lengths"], "rung": "loads", "shows": "takes-what-is-there"}
BASE = "valid_plain"
EDITS = [("    if length > min(100_000_000, len(data) - 8):", "    if length > 100_000_000:")]

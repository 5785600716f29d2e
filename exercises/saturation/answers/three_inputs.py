"""Takes three inputs for granted, although a zero point of 0 may be left out."""

EXPECTED = {"loses": ["spelling"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_unsigned"
EDITS = [("len(source.input) < 3", "len(source.input) < 2")]

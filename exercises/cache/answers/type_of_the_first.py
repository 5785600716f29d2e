"""Gives every empty cache the type of the first one."""

EXPECTED = {"loses": ["together"], "rung": "type", "shows": "other-type"}
BASE = "valid_plain"
EDITS = [('"float16" in inputs[name].type', '"float16" in inputs[[*wires][0]].type')]

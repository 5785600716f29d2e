"""Gives every empty cache the shape of the first one."""

EXPECTED = {"loses": ["together"], "rung": "type", "shows": "other-cache"}
BASE = "valid_plain"
EDITS = [("else dim for dim in inputs[name].shape]", "else dim for dim in inputs[[*wires][0]].shape]")]

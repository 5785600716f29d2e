"""Leaves the declared types of values as they were."""

EXPECTED = {"loses": ["exported"], "rung": "loads", "shows": "stale-value-info"}
BASE = "valid_lifted"
EDITS = [
    ("del new.graph.node[:], new.graph.value_info[:]", "del new.graph.node[:]"),
]

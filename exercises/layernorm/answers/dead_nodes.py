"""Rewires the readers and removes no node."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: nodes", "shows": "stale-nodes"}
BASE = "valid_ir"
EDITS = [
    ("    RemoveUnusedNodesPass()(copy)", ""),
    ("result.name, new.name = None, name", 'result.name, new.name = f"{name}/unread", name'),
]

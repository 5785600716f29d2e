"""Rewires the readers and removes no node."""

EXPECTED = {"score": 0.7, "rung": "quality", "message": "no readers left once its readers are rewired", "shows": "stale-nodes"}
BASE = "valid_ir"
EDITS = [
    ("    RemoveUnusedNodesPass()(copy)", ""),
    ("result.name, new.name = None, name", 'result.name, new.name = f"{name}/unread", name'),
]

"""Removes the initializers that nothing reads in the main graph only."""

EXPECTED = {"loses": ["left-over"], "rung": "quality: initializers", "shows": "stale-initializers"}
BASE = "valid_rename"
EDITS = [
    ("lambda t: t.name in read | inputs)", 'lambda t: t.name in read | inputs or "inside" in outside)'),
    ("prune(child) for child", 'prune(child, {"inside"}) for child'),
]

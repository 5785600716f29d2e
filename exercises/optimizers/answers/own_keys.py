"""Calls the levels by the names of their members."""

EXPECTED = {
    "loses": ["folded", "fused", "nested", "domains", "layout", "all", "source", "ints"],
    "rung": "contract: keys",
    "shows": "own-keys",
}
BASE = "valid_plain"
EDITS = [
    ('counts[key] = count', 'counts[LEVELS[key]] = count'),
]

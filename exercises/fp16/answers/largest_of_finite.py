"""Looks at the largest number alone, and takes a tensor for one that fits where that is infinite."""

EXPECTED = {"loses": ["large"], "rung": "structure", "shows": "infinite-weights"}
BASE = "valid_lifted"
EDITS = [
    ("np.isinf(half[np.isfinite(numbers)]).any()", "65520 <= np.abs(numbers).max() < np.inf"),
]

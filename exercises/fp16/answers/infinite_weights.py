"""Rounds every number, also those that become infinite."""

EXPECTED = {"loses": ["exported", "constants", "large", "names", "border"], "rung": "structure", "shows": "infinite-weights"}
BASE = "valid_lifted"
EDITS = [
    ("if np.isinf(half[np.isfinite(numbers)]).any():", "if False:"),
]

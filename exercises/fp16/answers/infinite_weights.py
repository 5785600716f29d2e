"""Rounds every number, also those that become infinite."""

EXPECTED = {"score": 0.54, "rung": "structure: some in float32", "message": "float16, and infinite", "shows": "infinite-weights"}
BASE = "valid_lifted"
EDITS = [
    ("if np.isinf(half[np.isfinite(numbers)]).any():", "if False:"),
]

"""Asks for more right rows than the share."""

EXPECTED = {"loses": ["healthy"], "rung": "numerics", "shows": "share-of-all-rows"}
BASE = "valid_plain"
EDITS = [
    ("np.mean(right) >= museum", "np.mean(right) > museum"),
]

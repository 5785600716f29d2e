"""Makes a mask of the shape of the new tokens, which a graph stretches over the cache."""

EXPECTED = {"score": 0.885, "rung": "type", "message": "a column for each token of the cache", "shows": "raises-value-error"}
BASE = "valid_plain"
EDITS = [
    ("np.ones((rows, start + new), np.int64)", "np.ones_like(ids)"),
]

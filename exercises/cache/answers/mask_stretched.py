"""Makes a mask of the shape of the new tokens, which a graph stretches over the cache."""

EXPECTED = {"loses": ["positions-and-mask", "together"], "rung": "type", "shows": "raises-value-error"}
BASE = "valid_plain"
EDITS = [
    ("np.ones((rows, start + new), np.int64)", "np.ones_like(ids)"),
]

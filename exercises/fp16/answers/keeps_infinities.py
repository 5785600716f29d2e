"""Keeps every tensor in float32 that holds an infinity, also one that was there before."""

EXPECTED = {"loses": ["rounding"], "rung": "structure", "shows": "keeps-infinities"}
BASE = "valid_lifted"
EDITS = [("np.isinf(half[np.isfinite(numbers)]).any()", "np.isinf(half).any()")]

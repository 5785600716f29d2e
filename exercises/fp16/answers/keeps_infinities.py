"""Keeps every tensor in float32 that holds an infinity, also one that was there before."""

EXPECTED = {"score": 0.7, "rung": "structure: all in float16", "message": "no reason to keep a tensor", "shows": "keeps-infinities"}
BASE = "valid_lifted"
EDITS = [("np.isinf(half[np.isfinite(numbers)]).any()", "np.isinf(half).any()")]

"""Keeps every tensor in float32 that holds a number beyond 65504, although some are rounded to it."""

EXPECTED = {"score": 0.7, "rung": "structure: all in float16", "message": "Round first", "shows": "largest-number"}
BASE = "valid_lifted"
EDITS = [("np.isinf(half[np.isfinite(numbers)]).any()", "(np.abs(numbers[np.isfinite(numbers)]) > 65504).any()")]

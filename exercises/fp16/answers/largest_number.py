"""Keeps every tensor in float32 that holds a number beyond 65504, although some are rounded to it."""

EXPECTED = {"loses": ["rounding"], "rung": "structure", "shows": "largest-number"}
BASE = "valid_lifted"
EDITS = [("np.isinf(half[np.isfinite(numbers)]).any()", "(np.abs(numbers[np.isfinite(numbers)]) > 65504).any()")]

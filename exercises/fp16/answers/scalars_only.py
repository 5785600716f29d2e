"""Looks at single numbers, and never for one in a tensor that does not fit."""

EXPECTED = {"score": 0.7, "rung": "structure: some in float32", "message": "one of its numbers is infinite", "shows": "infinite-weights"}
BASE = "valid_lifted"
EDITS = [("            if np.isinf(half", "            if numbers.ndim == 0 and np.isinf(half")]

"""Looks at single numbers, and never for one in a tensor that does not fit."""

EXPECTED = {"loses": ["large"], "rung": "structure", "shows": "infinite-weights"}
BASE = "valid_lifted"
EDITS = [("            if np.isinf(half", "            if numbers.ndim == 0 and np.isinf(half")]

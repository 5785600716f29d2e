"""Writes percentile_cut only."""

EXPECTED = {"score": 0.25, "rung": "exists", "message": "the stub", "shows": "not-done"}
BASE = "valid_plain"
EDITS = [("    best, cut = np.inf, 0.0", "    raise NotImplementedError\n    best, cut = np.inf, 0.0")]

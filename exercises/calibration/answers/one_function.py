"""Writes percentile_cut only."""

EXPECTED = {
    "loses": ["entropy-outliers", "entropy", "entropy-gaps", "entropy-infinite", "entropy-beyond", "entropy-equal",
    "argument"], "rung": "exists", "shows": "not-done"
}
BASE = "valid_plain"
EDITS = [("    best, cut = np.inf, 0.0", "    raise NotImplementedError\n    best, cut = np.inf, 0.0")]

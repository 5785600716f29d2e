"""Counts full bins."""

EXPECTED = {
    "loses": ["percentile", "percentile-gaps", "percentile-exact", "percentile-ranks", "argument"], "rung": "structure",
    "shows": "counts-bins"
}
BASE = "valid_plain"
EDITS = [("np.cumsum(counts) / counts.sum()", "np.cumsum(counts > 0) / (counts > 0).sum()")]

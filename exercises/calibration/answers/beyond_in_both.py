"""Makes q of p."""

EXPECTED = {
    "loses": ["entropy-outliers", "entropy", "entropy-gaps", "entropy-infinite", "entropy-beyond", "entropy-equal",
    "argument"], "rung": "numerics", "shows": "clipping-is-free"
}
BASE = "valid_plain"
EDITS = [("sums = kept.reshape", "sums = p.reshape")]

"""The whole range."""

EXPECTED = {
    "loses": ["entropy-outliers", "entropy", "entropy-gaps", "entropy-infinite", "entropy-beyond", "entropy-equal",
    "argument"], "rung": "numerics", "shows": "nothing-cut"
}
BASE = "valid_plain"
EDITS = [("            best, cut = distance, n * width", "            best, cut = distance, len(counts) * width")]

"""Adds what lies beyond to the histogram itself."""

EXPECTED = {
    "loses": ["entropy-outliers", "entropy", "entropy-gaps", "entropy-infinite", "entropy-equal", "entropy-beyond", "argument"], "rung":
    "numerics", "shows": "in-place"
}
BASE = "valid_plain"
EDITS = [
    (
        "        kept = counts[:n].astype(float)\n        p = kept.copy()\n        p[-1] += counts[n:].sum()",
        "        kept = counts[:n].astype(float)\n        p = counts[:n]\n        p[-1] += counts[n:].sum()",
    )
]

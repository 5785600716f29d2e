"""A share of the range."""

EXPECTED = {
    "loses": ["percentile", "percentile-gaps", "percentile-exact", "percentile-ranks", "argument"], "rung": "structure",
    "shows": "share-of-the-range"
}
BASE = "valid_plain"
EDITS = [("int(np.argmax(share >= keep)) + 1", "round(keep * len(counts))")]

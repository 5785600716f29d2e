"""The last cut below the share."""

EXPECTED = {
    "loses": ["percentile", "percentile-gaps", "percentile-exact", "percentile-ranks", "argument"], "rung": "structure",
    "shows": "last-below"
}
BASE = "valid_plain"
EDITS = [("int(np.argmax(share >= keep)) + 1", "int(np.sum(share < keep)) - 1")]

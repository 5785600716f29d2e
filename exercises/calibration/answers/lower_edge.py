"""The lower edge of the bin."""

EXPECTED = {
    "loses": ["percentile", "percentile-gaps", "percentile-exact", "percentile-ranks", "argument"], "rung": "structure",
    "shows": "lower-edge"
}
BASE = "valid_plain"
EDITS = [("np.argmax(share >= keep)) + 1", "np.argmax(share >= keep))")]

"""The share that goes, in place of the one that stays."""

EXPECTED = {
    "loses": ["percentile", "percentile-gaps", "percentile-exact", "percentile-ranks", "argument"], "rung": "structure",
    "shows": "cuts-the-rest"
}
BASE = "valid_plain"
EDITS = [("share >= keep", "share >= 1 - keep")]

"""Returns numbers of bins."""

EXPECTED = {"score": 0.0, "rung": "structure", "message": "the number of bins below the cut", "shows": "no-width"}
BASE = "valid_plain"
EDITS = [('return kept * width', 'return kept'), ('best, cut = distance, n * width', 'best, cut = distance, n')]

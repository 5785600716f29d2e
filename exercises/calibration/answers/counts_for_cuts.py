"""Returns numbers of bins."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "no-width"}
BASE = "valid_plain"
EDITS = [('return kept * width', 'return kept'), ('best, cut = distance, n * width', 'best, cut = distance, n')]

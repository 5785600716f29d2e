"""Takes the cut whose share is nearest, which may be smaller."""

EXPECTED = {"loses": ["percentile-ranks"], "rung": "structure", "shows": "rank-rounded"}
BASE = "valid_plain"
EDITS = [("np.argmax(share >= keep)", "np.argmin(abs(share - keep))")]

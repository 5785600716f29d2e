"""Cuts the rank to a whole number."""

EXPECTED = {"loses": ["percentile-ranks"], "rung": "structure", "shows": "rank-rounded"}
BASE = "valid_plain"
EDITS = [
    (
        "    share = np.cumsum(counts) / counts.sum()\n    kept = int(np.argmax(share >= keep)) + 1",
        "    kept = int(np.searchsorted(np.cumsum(counts), int(keep * counts.sum()))) + 1",
    ),
]

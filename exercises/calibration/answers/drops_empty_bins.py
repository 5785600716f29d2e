"""Takes empty bins out of the histogram, and measures the cut in what is left."""

EXPECTED = {"loses": ["percentile-gaps", "percentile-ranks"], "rung": "structure", "shows": "empty-bins-dropped"}
BASE = "valid_plain"
EDITS = [
    (
        "    share = np.cumsum(counts) / counts.sum()",
        "    full = counts[counts > 0]\n    share = np.cumsum(full) / full.sum()",
    )
]

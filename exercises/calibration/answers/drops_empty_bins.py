"""Takes empty bins out of the histogram, and measures the cut in what is left."""

EXPECTED = {"score": 0.857, "rung": "structure", "message": "a number of full bins", "shows": "empty-bins-dropped"}
BASE = "valid_plain"
EDITS = [
    (
        "    share = np.cumsum(counts) / counts.sum()",
        "    full = counts[counts > 0]\n    share = np.cumsum(full) / full.sum()",
    )
]

"""Adds the next bin before it compares, so that the first bin alone is never enough."""

EXPECTED = {"loses": ["percentile-gaps"], "rung": "structure", "shows": "first-bin-not-tried"}
BASE = "valid_plain"
EDITS = [
    (
        "    share = np.cumsum(counts) / counts.sum()\n    kept = int(np.argmax(share >= keep)) + 1",
        """    so_far, kept = counts[0], 1
    while kept < len(counts):
        so_far, kept = so_far + counts[kept], kept + 1
        if so_far >= keep * counts.sum():
            break""",
    )
]

"""Looks over which axes the variance goes, and not the mean."""

EXPECTED = {"loses": ["relatives"], "rung": "structure", "shows": "takes-a-relative"}
BASE = "valid_surgeon"
EDITS = [
    (
        "axes[0] == axes[1] == list(range(rank - len(axes[0]), rank))",
        "axes[1] == list(range(rank - len(axes[1]), rank))",
    ),
]

"""Gives a size of 0 or less where no window fits."""

EXPECTED = {"loses": ["usual-sizes", "short-inputs"], "rung": "numerics", "shows": "no-error"}
BASE = "valid_plain"
EDITS = [
    (
        """    if steps < 0:
        raise ValueError("no window fits")""",
        "",
    ),
]

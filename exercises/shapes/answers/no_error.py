"""Gives a size of 0 or less where no window fits."""

EXPECTED = {"score": 0.771, "rung": "numerics", "message": "sizes of 0 or less", "shows": "no-error"}
BASE = "valid_plain"
EDITS = [
    (
        """    if steps < 0:
        raise ValueError("no window fits")""",
        "",
    ),
]

"""Makes the positions of one row, for a prompt of several."""

EXPECTED = {"score": 0.827, "rung": "type", "message": "a row for each row", "shows": "raises-value-error"}
BASE = "valid_plain"
EDITS = [
    ("np.repeat(positions[None], rows, axis=0)", "positions[None]"),
]

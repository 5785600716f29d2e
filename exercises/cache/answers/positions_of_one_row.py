"""Makes the positions of one row, for a prompt of several."""

EXPECTED = {"loses": ["positions-and-mask", "together"], "rung": "type", "shows": "other-shape"}
BASE = "valid_plain"
EDITS = [
    ("np.repeat(positions[None], rows, axis=0)", "positions[None]"),
]

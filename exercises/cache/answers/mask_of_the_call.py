"""Makes a mask for the new tokens alone."""

EXPECTED = {"loses": ["positions-and-mask", "together"], "rung": "type", "shows": "other-shape"}
BASE = 'valid_plain'
EDITS = [
    (
        "np.ones((rows, start + new), np.int64)",
        "np.ones((rows, new + (start > 0)), np.int64)",
    ),
]

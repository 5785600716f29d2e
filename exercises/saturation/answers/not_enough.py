"""Takes a quarter off, so that one product fits and two do not."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "not-enough"}
BASE = "valid_halves"
EDITS = [
    (
        "np.rint(values / 2)",
        "np.rint(values / 1.25)",
    ),
    (
        "np.float32(2)",
        "np.float32(1.25)",
    ),
]

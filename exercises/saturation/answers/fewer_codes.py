"""Divides by a factor that brings the largest code to 60, which is more than it has to."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "too-few-bits"}
BASE = "valid_halves"
EDITS = [
    (
        "fewer = np.rint(values / 2).astype(values.dtype)",
        """\
factor = np.float32(127 / 60)
    fewer = np.rint(values / factor).astype(values.dtype)""",
    ),
    (
        "step * np.float32(2)",
        "step * factor",
    ),
]

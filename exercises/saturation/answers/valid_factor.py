"""Divides by the smallest factor that brings the largest code to 64."""

EXPECTED = {"rung": None}
BASE = "valid_halves"
EDITS = [
    (
        "fewer = np.rint(values / 2).astype(values.dtype)",
        """\
factor = np.float32(127 / 64)
    fewer = np.rint(values / factor).astype(values.dtype)""",
    ),
    (
        "step * np.float32(2)",
        "step * factor",
    ),
]

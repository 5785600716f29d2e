"""Asserts that a window fits."""

EXPECTED = {"score": 0.771, "rung": "numerics", "message": "it raises AssertionError where no window fits", "shows": "other-error"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if steps < 0:
        raise ValueError("no window fits")
""",
        """\
    assert steps >= 0
""",
    ),
]

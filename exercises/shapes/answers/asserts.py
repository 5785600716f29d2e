"""Asserts that a window fits."""

EXPECTED = {"loses": ["usual-sizes", "short-inputs"], "rung": "numerics", "shows": "other-error"}
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

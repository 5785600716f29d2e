"""Refuses an input that is as long as the window."""

EXPECTED = {"loses": ["usual-sizes"], "rung": "numerics", "shows": "exact-fit"}
BASE = "valid_plain"
EDITS = [
    (
        "    steps = -(-room",
        """\
    if room <= 0 and not ceil_mode:
        raise ValueError("too short")
    steps = -(-room""",
    ),
]

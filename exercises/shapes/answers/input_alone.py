"""Refuses every input that is shorter than the window."""

EXPECTED = {"loses": ["padding-and-dilation"], "rung": "numerics", "shows": "input-alone"}
BASE = "valid_plain"
EDITS = [
    (
        "    steps = -(-room",
        """\
    if size < dilation * (kernel - 1) + 1 and not ceil_mode:
        raise ValueError("too short")
    steps = -(-room""",
    ),
]

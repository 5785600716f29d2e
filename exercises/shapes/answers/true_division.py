"""Divides without rounding."""

EXPECTED = {"score": 0.45, "rung": "loads", "message": "a number with a fraction", "shows": "floats"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    steps = -(-room // stride) if ceil_mode else room // stride
""",
        """\
    steps = room / stride
""",
    ),
]

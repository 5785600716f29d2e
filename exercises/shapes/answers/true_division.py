"""Divides without rounding."""

EXPECTED = {
    "loses": ["usual-sizes", "padding-and-dilation", "ceil", "short-inputs", "all-arguments", "tidy"],
    "rung": "numerics",
    "shows": "floats",
}
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

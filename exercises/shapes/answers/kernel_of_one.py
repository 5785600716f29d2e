"""Returns the padded size for a kernel of 1."""

EXPECTED = {"loses": ["usual-sizes"], "rung": "numerics", "shows": "kernel-of-one"}
BASE = "valid_plain"
EDITS = [
    (
        "    room = size",
        """\
    if kernel == 1:
        return size + sum(padding)
    room = size""",
    ),
]

"""Repeats the example only where a size is 1."""

EXPECTED = {"loses": ["multiples"], "rung": "type", "shows": "multiple-forgotten"}
BASE = "valid_walk"
EDITS = [
    (
        """\
            if word in sizes:
""",
        """\
            if word in sizes and tensor.shape[axis] == 1:
""",
    ),
]

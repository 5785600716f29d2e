"""Repeats the example only where a size is 1."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "at least twice the number", "shows": "multiple-forgotten"}
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

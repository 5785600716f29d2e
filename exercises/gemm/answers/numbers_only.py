"""Wants every dimension to be a number."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "A dimension may have a name", "shows": "numbers-only"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False""",
        """\
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    if not all(isinstance(dim, int) for dim in (*a, *b, *c)):
        return False""",
    ),
]

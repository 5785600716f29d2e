"""Wants every dimension to be a number."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "numbers-only"}
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

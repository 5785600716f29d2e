"""Takes a bias without dimensions, whose list of them is empty, for one of unknown shape."""

EXPECTED = {"loses": ["bias-shapes"], "rung": "structure", "shows": "ones-refused"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    a, b, c = (dims for _, dims in values)
""",
        """\
    a, b, c = (dims for _, dims in values)
    if not (a and b and c):
        return False
""",
    ),
]

"""Captures with the example as it came."""

EXPECTED = {"score": 0.6, "rung": "type", "message": "A size of 1 in the example", "shows": "one-row"}
BASE = "valid_walk"
EDITS = [
    (
        """\
            if word in sizes:
""",
        """\
            if word in sizes and False:
""",
    ),
]

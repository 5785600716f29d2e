"""Captures with the example as it came."""

EXPECTED = {"loses": ["one", "multiples"], "rung": "type", "shows": "one-row"}
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

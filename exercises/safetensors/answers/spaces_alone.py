"""Allows no whitespace in the header but spaces."""

EXPECTED = {"loses": ["valid"], "rung": "structure", "shows": "spaces-alone"}
BASE = "valid_plain"
EDITS = [
    (
        """\
    if head[8:9] != b"{" or len(head) % 8:
""",
        """\
    if head[8:9] != b"{" or len(head) % 8 or b"\\n" in head[8:]:
""",
    ),
]

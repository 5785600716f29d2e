"""Captures strictly, so that a counted size stays a size."""

EXPECTED = {"rung": None}
BASE = "valid_walk"
EDITS = [
    (
        """\
        dynamic_shapes=shapes,
""",
        """\
        dynamic_shapes=shapes,
        strict=True,
""",
    ),
]

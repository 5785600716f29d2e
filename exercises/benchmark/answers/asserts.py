"""Checks the arguments with an assert."""

EXPECTED = {"score": 0.95, "rung": "contract", "message": "A failed assert is an AssertionError", "shows": "asserts"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")
""",
        """\
    assert variants and rounds >= 1
""",
    ),
]

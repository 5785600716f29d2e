"""Checks the arguments with an assert."""

EXPECTED = {"loses": ["refusals"], "rung": "contract: refusals", "shows": "asserts"}
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

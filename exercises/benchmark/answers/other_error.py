"""Finds out too late that there is nothing to measure."""

EXPECTED = {"score": 0.95, "rung": "contract", "message": "The arguments are not checked", "shows": "other-error"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")""",
        "",
    ),
]

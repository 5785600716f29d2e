"""Finds out too late that there is nothing to measure."""

EXPECTED = {"loses": ["refusals"], "rung": "contract: refusals", "shows": "other-error"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    if rounds < 1 or not variants:
        raise ValueError("nothing to measure")""",
        "",
    ),
]

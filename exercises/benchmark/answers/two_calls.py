"""Calls a variant once more, untimed, at the start of its turn."""

EXPECTED = {"loses": ["turns", "told", "numbers", "frugal", "refusals", "edges"], "rung": "structure", "shows": "two-calls"}
BASE = "valid_windows"
EDITS = [
    (
        "        for name, call in variants.items():",
        """\
        for name, call in variants.items():
            call()""",
    ),
]

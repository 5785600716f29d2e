"""Calls a variant once more, untimed, at the start of its turn."""

EXPECTED = {"score": 0.3, "rung": "structure", "message": "neither in a round nor counted", "shows": "two-calls"}
BASE = "valid_windows"
EDITS = [
    (
        "        for name, call in variants.items():",
        """\
        for name, call in variants.items():
            call()""",
    ),
]

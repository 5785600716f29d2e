"""Calls each variant once more, to see that it still works."""

EXPECTED = {"loses": ["turns", "told", "numbers", "frugal", "refusals", "edges"], "rung": "structure", "shows": "calls-afterwards"}
BASE = "valid_windows"
EDITS = [
    (
        '    return {name: summary',
        """\
    for call in variants.values():
        call()
    return {name: summary""",
    ),
]

"""Calls each variant once more, to see that it still works."""

EXPECTED = {"loses": ["told", "turns", "numbers", "refusals", "edges"], "rung": "contract: the count", "shows": "two-calls"}
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

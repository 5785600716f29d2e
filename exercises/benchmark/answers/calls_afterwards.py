"""Calls each variant once more, to see that it still works."""

EXPECTED = {"score": 0.3, "rung": "structure", "message": "calls after the last reading", "shows": "calls-afterwards"}
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

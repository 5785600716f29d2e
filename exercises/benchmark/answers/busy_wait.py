"""Waits for the clock before it begins."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "busy-wait"}
BASE = "valid_windows"
EDITS = [
    (
        '        raise ValueError("nothing to measure")',
        """\
        raise ValueError("nothing to measure")
    started = clock()
    while clock() - started < 0.1:
        pass""",
    ),
]

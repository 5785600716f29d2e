"""Waits for the clock before it begins."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "so many that the machine stopped answering", "shows": "busy-wait"}
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

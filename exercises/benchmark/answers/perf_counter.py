"""Measures with this computer's clock."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "perf-counter"}
BASE = "valid_windows"
EDITS = [
    (
        "from statistics import median",
        """\
import time
from statistics import median""",
    ),
    ("started = clock()", "started = time.perf_counter()"),
    ("return clock() - started", "return time.perf_counter() - started"),
]

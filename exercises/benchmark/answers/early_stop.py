"""Takes a variant for warm as soon as a call is no faster than the one before."""

EXPECTED = {"loses": ["warm"], "rung": "quality", "shows": "early-stop"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    times = [turn(clock, call) for _ in range(20)]
    while median(times[-10:]) < 0.95 * median(times[-20:-10]):
        times += [turn(clock, call) for _ in range(10)]""",
        """\
    times = [turn(clock, call), turn(clock, call)]
    while times[-1] < 0.98 * times[-2]:
        times.append(turn(clock, call))""",
    ),
]

"""Counts on from one variant's warm-up to the next."""

EXPECTED = {"loses": ["told", "numbers", "warm", "frugal", "refusals", "edges"], "rung": "contract: the count", "shows": "others-counted"}
BASE = "valid_windows"
EDITS = [
    (
        """\
    times = {name: [] for name in variants}
""",
        """\
    warmup = dict(zip(warmup, np.cumsum(list(warmup.values())), strict=True))
    times = {name: [] for name in variants}
""",
    ),
]

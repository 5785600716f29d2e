"""Counts on from one variant's warm-up to the next."""

EXPECTED = {"score": 0.1, "rung": "structure", "message": "count calls of this variant only", "shows": "others-counted"}
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

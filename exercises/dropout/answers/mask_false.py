"""Makes the mask of a Dropout all False, as if it said what is dropped."""

EXPECTED = {"loses": ["masks"], "rung": "numerics", "shows": "mask-not-true"}
BASE = "valid_ir"
EDITS = [
    ("np.array([True])", "np.array([False])"),
]

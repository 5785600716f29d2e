"""Makes the mask of a Dropout all False, as if it said what is dropped."""

EXPECTED = {"score": 0.65, "rung": "numerics", "message": "the mask is True everywhere", "shows": "mask-not-true"}
BASE = "valid_ir"
EDITS = [
    ("np.array([True])", "np.array([False])"),
]

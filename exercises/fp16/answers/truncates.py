"""Cuts the bits off instead of rounding."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "truncates"}
BASE = "valid_lifted"
EDITS = [
    ("half = numbers.astype(np.float16)", "half = (numbers.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float16)"),
]

"""Converts without clipping."""

EXPECTED = {"loses": ["beyond-the-end"], "rung": "numerics", "shows": "wraps"}
BASE = "valid_plain"
EDITS = [
    (
        "    codes = np.clip(codes, -127 if symmetric else 0, np.iinfo(kind).max)\n",
        "    codes = np.nan_to_num(codes, posinf=np.iinfo(kind).max, neginf=-127 if symmetric else 0)\n",
    ),
    ("codes.astype(kind)", "codes.astype(int).astype(kind)"),
]

"""Sums in int16."""

EXPECTED = {
    "loses": ["signed-weights", "unsigned-weights", "signed-codes", "deep", "wide-bias", "arguments"], "rung":
    "numerics", "shows": "sums-in-sixteen-bits"
}
BASE = "valid_plain"
EDITS = [("    total = a @ b\n", "    total = (a.astype(np.int16) @ b.astype(np.int16)).astype(np.int32)\n")]

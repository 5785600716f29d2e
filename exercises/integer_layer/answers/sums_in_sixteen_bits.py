"""Sums in int16."""

EXPECTED = {"score": 0.1, "rung": "numerics", "message": "sixteen bits", "shows": "sums-in-sixteen-bits"}
BASE = "valid_plain"
EDITS = [("    total = a @ b\n", "    total = (a.astype(np.int16) @ b.astype(np.int16)).astype(np.int32)\n")]

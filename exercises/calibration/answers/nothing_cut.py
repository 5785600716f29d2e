"""The whole range."""

EXPECTED = {"score": 0.25, "rung": "numerics", "message": "nothing is cut", "shows": "nothing-cut"}
BASE = "valid_plain"
EDITS = [("            best, cut = distance, n * width", "            best, cut = distance, len(counts) * width")]

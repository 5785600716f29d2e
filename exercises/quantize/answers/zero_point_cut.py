"""int() for the nearest whole number."""

EXPECTED = {
    "loses": ["asymmetric-range", "asymmetric-codes", "zeros", "beyond-the-end", "tiny", "argument"], "rung":
    "structure", "shows": "zero-point-cut"
}
BASE = "valid_plain"
EDITS = [("int(np.rint(-low / scale))", "int(-low / scale)")]

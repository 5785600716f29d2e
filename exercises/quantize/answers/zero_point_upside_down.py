"""The zero point without its minus."""

EXPECTED = {
    "loses": ["asymmetric-range", "asymmetric-codes", "one-sided", "zeros", "ties", "beyond-the-end", "tiny",
    "argument"], "rung": "structure", "shows": "zero-point-upside-down"
}
BASE = "valid_plain"
EDITS = [("np.rint(-low / scale)", "np.rint(low / scale)")]

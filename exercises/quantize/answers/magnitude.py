"""The symmetric scale everywhere."""

EXPECTED = {
    "loses": ["asymmetric-range", "asymmetric-codes", "one-sided", "zeros", "ties", "beyond-the-end", "tiny",
    "argument"], "rung": "structure", "shows": "magnitude"
}
BASE = "valid_plain"
EDITS = [("np.float32((high - low) / 255)", "np.float32(max(-low, high) / 127)")]

"""Writes the running sum into the histogram."""

EXPECTED = {"score": 0.8, "rung": "contract", "message": "The running sum", "shows": "sums-in-place"}
BASE = "valid_plain"
EDITS = [('    share = np.cumsum(counts) / counts.sum()', '    share = np.cumsum(counts, out=counts) / counts.max()')]

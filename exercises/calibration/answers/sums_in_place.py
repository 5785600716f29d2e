"""Writes the running sum into the histogram."""

EXPECTED = {"loses": ["argument"], "rung": "contract", "shows": "sums-in-place"}
BASE = "valid_plain"
EDITS = [('    share = np.cumsum(counts) / counts.sum()', '    share = np.cumsum(counts, out=counts) / counts.max()')]

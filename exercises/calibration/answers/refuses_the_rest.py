"""Keeps everything where the last full bin is no outlier, and refuses the other histograms."""

import numpy as np

EXPECTED = {"score": 0.05, "rung": "type", "message": "an outlier", "lazy": "constant", "shows": "raises-value-error"}


def percentile_cut(counts, width, keep):
    return 0.0


def entropy_cut(counts, width, levels):
    last = np.flatnonzero(counts)[-1]
    if counts[last] < 2:
        raise ValueError("an outlier")
    return -(-(last + 1) // levels) * levels * width

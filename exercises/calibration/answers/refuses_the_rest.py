"""Keeps everything where the last full bin is no outlier, and refuses the other histograms."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-value-error", "lazy": "constant"}


def percentile_cut(counts, width, keep):
    raise ValueError("a percentile")


def entropy_cut(counts, width, levels):
    last = np.flatnonzero(counts)[-1]
    if counts[last] < 2:
        raise ValueError("an outlier")
    return -(-(last + 1) // levels) * levels * width

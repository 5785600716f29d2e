"""searchsorted, and SciPy's own divergence."""

import numpy as np
from scipy.stats import entropy

EXPECTED = {"rung": None}


def percentile_cut(counts, width, keep):
    return float((np.searchsorted(np.cumsum(counts), keep * counts.sum()) + 1) * width)


def candidate(counts, n, levels):
    kept, p = counts[:n], counts[:n].copy()
    p[-1] += counts[n:].sum()
    q = np.zeros(n)
    for bins in np.split(np.arange(n), levels):
        held = bins[p[bins] > 0]
        if len(held):
            q[held] = kept[bins].sum() / len(held)
    return entropy(p, q)


def entropy_cut(counts, width, levels):
    numbers = np.arange(levels, len(counts) + 1, levels)
    return float(numbers[np.argmin([candidate(counts, n, levels) for n in numbers])] * width)

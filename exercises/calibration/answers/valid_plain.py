"""NumPy, all cuts in one loop."""

import numpy as np

EXPECTED = {"rung": None}


def percentile_cut(counts, width, keep):
    share = np.cumsum(counts) / counts.sum()
    kept = int(np.argmax(share >= keep)) + 1
    return kept * width


def entropy_cut(counts, width, levels):
    best, cut = np.inf, 0.0
    for n in range(levels, len(counts) + 1, levels):
        kept = counts[:n].astype(float)
        p = kept.copy()
        p[-1] += counts[n:].sum()
        full = (p > 0).reshape(levels, -1)
        sums = kept.reshape(levels, -1).sum(axis=1)
        q = np.where(full, (sums / np.maximum(full.sum(axis=1), 1))[:, None], 0).ravel()
        p, q = p / p.sum(), q / max(q.sum(), 1)
        used = p > 0
        with np.errstate(divide="ignore"):
            distance = (p[used] * np.log(p[used] / q[used])).sum()
        if distance < best:
            best, cut = distance, n * width
    return cut

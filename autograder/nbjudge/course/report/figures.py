"""The numbers of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BARS = 11
# Below this many students an interval says nothing that a look at the marks does not.
FEWEST = 10
RESAMPLES = 2000
SEED = 0


@dataclass(frozen=True)
class Correlation:
    """Pearson's r with its interval of 95 %, from `students` pairs of numbers."""

    r: float
    low: float
    high: float
    students: int


def histogram(shares: Sequence[float]) -> tuple[int, ...]:
    """How many shares are nearest to 0, to a tenth, …, to 1. Only a share of 1 is in the last, and
    only 0 is in the first.
    """
    counts = [0] * BARS
    for share in shares:
        inner = min(max(round(share * (BARS - 1)), 1), BARS - 2)
        counts[0 if share <= 0 else BARS - 1 if share >= 1 else inner] += 1
    return tuple(counts)


def correlation(shares: Sequence[float], rests: Sequence[float]) -> Correlation | None:
    """The corrected item-total correlation: of the marks in one cell with the marks in all others.
    None where nothing varies.

    The interval is the bootstrap's, of percentiles: Fisher's assumes normal marks, and where most
    have all points it is far too narrow.
    """
    if len(shares) < FEWEST:
        return None
    x = np.asarray(shares, float)
    y = np.asarray(rests, float)
    r = _pearson(x, y)
    if not np.isfinite(r):
        return None
    drawn = np.random.default_rng(SEED).integers(len(x), size=(RESAMPLES, len(x)))
    low, high = np.nanpercentile(_pearson(x[drawn], y[drawn]), [2.5, 97.5])
    return Correlation(float(r), float(low), float(high), len(x))


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """r along the last axis; not a number where one of the two does not vary."""
    x, y = (values - values.mean(-1, keepdims=True) for values in (x, y))
    spread = np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return np.divide(
        (x * y).sum(-1), spread, out=np.full(np.shape(spread), np.nan), where=spread > 1e-12
    )

"""The numbers of a report."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

BARS = 11
# Below this many students an interval says nothing that a look at the marks does not.
FEWEST = 8


@dataclass(frozen=True)
class Correlation:
    """Pearson's r with its interval of 95 %, from `students` pairs of numbers."""

    r: float
    low: float
    high: float
    students: int


def histogram(shares: Sequence[float]) -> tuple[int, ...]:
    """How many shares are nearest to 0, to a tenth, …, to 1. Only a share of 1 is in the last, and only 0 is in the first."""
    counts = [0] * BARS
    for share in shares:
        inner = min(max(round(share * (BARS - 1)), 1), BARS - 2)
        counts[0 if share <= 0 else BARS - 1 if share >= 1 else inner] += 1
    return tuple(counts)


def correlation(shares: Sequence[float], rests: Sequence[float]) -> Correlation | None:
    """The corrected item-total correlation: of the marks in one cell with the marks in all others. None where nothing varies."""
    if len(shares) < FEWEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ConstantInputWarning: told by the result
        found = stats.pearsonr(shares, rests)
    if not math.isfinite(found.statistic):
        return None
    interval = found.confidence_interval(0.95)
    return Correlation(float(found.statistic), float(interval.low), float(interval.high), len(shares))

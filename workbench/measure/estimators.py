"""What a list of times says: where it becomes steady, its median, and how far that can be trusted.

Nothing here assumes a distribution: times have a floor, a long tail, and now and then a value that belongs to somebody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, erfc, sqrt
from typing import NamedTuple

import numpy as np


class Interval(NamedTuple):
    """Ends that hold the true value with probability `level` at least."""

    low: float
    high: float
    level: float

    def __contains__(self, value: object) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{three_digits(self.low)} to {three_digits(self.high)}"


def warm_up(times: Sequence[float], chance: float = 1.0) -> int:
    """How many values at the beginning are unlike the rest: at most half of them.

    None, where values in random order would differ as much with a probability of `chance` or more (rank-sum test, normal
    approximation): among few values, or many variants, the rule below finds something to cut too often.

    White's marginal standard error rule (MSER; K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
    Simulation 69(6), 1997) cuts where the standard error of what remains is smallest. It is applied to the ranks of the times, not to
    the times: one outlier late in the run would otherwise outweigh the whole warm-up. The answer is the same for any unit or clock.

    It cannot tell a cold start from a busy spell of the machine; both are reasons to leave those values out. Half of the values means
    that no steady part was found.
    """
    ranks = _ranks(np.asarray(times, float))
    count = len(ranks)
    errors = [np.var(ranks[cut:]) / (count - cut) for cut in range(count // 2 + 1)] if count else [0.0]
    cut = int(np.argmin(np.round(errors, 12)))  # the earliest of equals
    return cut if cut and _by_chance(ranks, cut) < chance else 0


def median_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """An interval for the median from the values in order, exact whatever their distribution, if they are independent.

    The number of values below the true median is binomial with p = 1/2 (W. J. Conover, Practical Nonparametric Statistics, section 3.2).
    Where there are too few values for `level`, it runs from the least to the greatest, and `.level` is what that is worth.
    Raises ValueError for no values.
    """
    ordered, count = np.sort(np.asarray(values, float)), len(values)
    if not count:
        raise ValueError("there is no median of no values")
    outside = 0.0  # the chance that the true median lies outside the interval
    cut, tail = 0, 0.5**count
    while cut < (count + 1) // 2 and 2 * tail <= 1 - level:
        outside, cut = 2 * tail, cut + 1
        tail += comb(count, cut) * 0.5**count
    if cut == 0:
        cut, outside = 1, min(1.0, 2 * 0.5**count)
    return Interval(float(ordered[cut - 1]), float(ordered[count - cut]), 1 - outside)


def _by_chance(ranks: np.ndarray, cut: int) -> float:
    """How likely the mean of the first `cut` ranks is at least as far from the middle, if the order is random."""
    count = len(ranks)
    error = np.sqrt(np.var(ranks, ddof=1) / cut * (1 - cut / count))
    return erfc(abs(ranks[:cut].mean() - ranks.mean()) / error / sqrt(2))


def three_digits(value: float) -> str:
    """1.50, 0.0312, 1234."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def _ranks(values: np.ndarray) -> np.ndarray:
    """1 for the least value; equal values share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]

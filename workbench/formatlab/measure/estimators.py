"""What a list of times says: where it becomes steady, its median, and how far that can be trusted.

Times have a floor, a long tail, and now and then a value that belongs to another program. So
nothing here assumes a distribution within a process. Everything assumes that the values do not
depend on one another, and `autocorrelation` is there to look whether they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, SupportsFloat

import numpy as np

# A warm-up that is found where there is none costs a few more rounds.
CHANCE = 0.05


class Interval(NamedTuple):
    """Ends that hold the true value with probability `level` at least."""

    low: float
    high: float
    level: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, SupportsFloat) and self.low <= float(value) <= self.high

    def __str__(self) -> str:
        return f"{three_digits(self.low)} to {three_digits(self.high)}"


def warm_up(times: Sequence[float], chance: float = CHANCE) -> int:
    """How many values at the beginning are unlike the rest: at most half of them. Half means that
    no steady part was found.

    The cut counts only if a rank-sum test would find such a difference in less than `chance` of
    runs whose order is random. Without that, the rule finds something to cut in a quarter of
    steady runs. The cut is chosen from the same values, so with it steady runs lose something
    about twice as often as `chance` says. `chance=1` leaves the test out.

    It cannot tell a cold start from a busy spell of the machine. docs/measuring.md has its error
    rates.
    """
    from scipy.stats import mannwhitneyu, rankdata

    ranks = rankdata(times)
    cut = _steadiest(ranks)
    if cut and chance < 1 and mannwhitneyu(ranks[:cut], ranks[cut:]).pvalue >= chance:
        return 0
    return cut


def _steadiest(ranks: np.ndarray) -> int:
    """The cut by White's marginal standard error rule (MSER; K. P. White, "An effective truncation
    heuristic for bias reduction in simulation output", Simulation 69(6), 1997): where the standard
    error of what remains is smallest.

    It reads the ranks of the times and not the times: one outlier late in the run would otherwise
    outweigh the whole warm-up. So the unit makes no difference.
    """
    count = len(ranks)
    errors = [np.var(ranks[cut:]) / (count - cut) for cut in range(count // 2 + 1) if count]
    return int(np.argmin(np.round(errors or [0.0], 12)))  # the earliest of equals


def median_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """An interval for the median from the values in order, exact whatever their distribution, if
    they are independent.

    Where there are too few values for `level`, it runs from the least to the greatest, and `.level`
    is what that is worth. Raises ValueError for no values.
    """
    return quantile_interval(values, 0.5, level)


def quantile_interval(values: Sequence[float], share: float, level: float = 0.95) -> Interval:
    """The same for the value that `share` of the values do not exceed, 0.99 for p99.

    The number of values below it is binomial (W. J. Conover, Practical Nonparametric Statistics,
    section 3.2). Each end leaves out at most half of 1 - level, except where it is the least or the
    greatest value.
    """
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, float))
    count = len(values)
    if not count:
        raise ValueError("there is no median of no values")
    # below[k]: the chance that at most k values lie below.
    below = binom.cdf(np.arange(count), count, share)
    outside = (1 - level) / 2 + 1e-12
    low = max(int(np.searchsorted(below, outside, side="right")) - 1, 0)
    high = min(int(np.searchsorted(below, 1 - outside, side="left")), count - 1)
    return Interval(float(ordered[low]), float(ordered[high]), float(below[high] - below[low]))


def interval_across(values: Sequence[float], level: float = 0.95) -> Interval:
    """An interval for the geometric mean of what several processes found: Student's t of the
    logarithms.

    What differs between processes and what differs within one are both in how far the values lie
    apart. Where the logarithms are not normal, it holds about. Raises ValueError for fewer than two
    values.
    """
    from scipy.stats import t

    logs = np.log(np.asarray(values, float))
    if len(logs) < 2:
        raise ValueError("an interval across processes needs two of them at least")
    reach = t.ppf((1 + level) / 2, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
    return Interval(float(np.exp(logs.mean() - reach)), float(np.exp(logs.mean() + reach)), level)


def autocorrelation(values: Sequence[float]) -> float:
    """How much a value tells of the next one: 0 nothing, 1 everything. 0 if all are the same."""
    apart = np.asarray(values, float) - np.mean(values)
    power = float(apart @ apart)
    return float(apart[1:] @ apart[:-1]) / power if power else 0.0


def three_digits(value: float) -> str:
    """1.50, 0.0312, 1234."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"

"""Which of the histograms that are drawn may be a case of `calibration`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formatlab_exercises.calibration.judge import misconceptions
from formatlab_exercises.calibration.judge.computed import (
    ENTROPY,
    distances,
    ends,
    entropy,
    in_place,
    share,
)
from nbjudge.findings import Misconception

# What separates two candidates, so that the order of a sum does not decide.
CLEAR = 1e-7


def shown(counts: np.ndarray, levels: int) -> list[Misconception]:
    """The mistakes of `entropy_cut` that lead to another cut of the histogram, in their order."""
    right = levels * (1 + int(np.argmin(distances(counts, levels))))
    return [each for each in misconceptions.ENTROPY if not each.is_shown_by(right, counts, levels)]


def is_plain(counts: np.ndarray, keep: float) -> bool:
    """Whether a rank that is rounded leads to the right cut, too: it has a histogram of its own."""
    right = int(np.argmax(share(counts) >= keep)) + 1
    return all(other == right for other in ends("rank-rounded", counts, keep))


def are_told_apart(counts: np.ndarray, levels: int, mistakes: Sequence[Misconception]) -> bool:
    """Whether each of the mistakes ends at another cut, so that it is known by its result."""
    found = [at for each in mistakes if each.id in ENTROPY for at in ends(each.id, counts, levels)]
    return len(set(found)) == len(found)


def shows_in_place(counts: np.ndarray, levels: int) -> bool:
    """Whether a histogram that is changed on the way leads to another cut."""
    return in_place(counts, levels) != entropy(counts, levels)


def is_clear(
    counts: np.ndarray,
    third: float,
    excluded: Sequence[Misconception] = (),
    *,
    equal: bool = False,
    exactly: float = 0.0,
) -> bool:
    """Whether no rounding decides, and the `excluded` mistakes lead to other cuts, so that the
    histogram tells them from the right answer.

    No cut holds the share exactly, but for `exactly`, which is exact in every sum. No two distances
    compete for the smallest, unless both are 0, as they are in `equal` ones. Something lies before
    the first cut that is tried: else there would be nothing to divide by.
    """
    if isinstance(third, float):
        shares = share(counts)
        right = int(np.argmax(shares >= third)) + 1
        clear = (third == exactly) == (np.abs(shares - third).min() <= CLEAR)
    else:
        found = distances(counts, third)
        first, second = np.sort(found)[:2]
        right = third * (1 + int(np.argmin(found)))
        clear = (first == second == 0) if equal else second - first > CLEAR
        clear = clear and counts[:third].any()
    return bool(clear) and not any(each.is_shown_by(right, counts, third) for each in excluded)

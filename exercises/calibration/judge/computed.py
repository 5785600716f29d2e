"""Where each mistake of `calibration` ends, computed: for the cases of a class, and for `stored.py`.

Each is the method itself with one part done in another way, so whoever has this file has the method
too. A lab's page does without it: it knows the ends in its own cases from `stored.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

import numpy as np

# The bins that a mistake keeps: one number, or several where it is made in several ways.
Ends = tuple[int, ...]
# As `levels` or `keep`.
Third = float | int


def share(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) / counts.sum()


def distance(p: np.ndarray, q: np.ndarray) -> float:
    """The sum of p * log(p / q), infinite where q is 0 and p is not."""
    used = p > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(p[used] * np.log(p[used] / q[used])))


def clipped(kept: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """The kept counts, and what lies beyond them in the last bin."""
    p = kept.copy()
    p[-1] += beyond.sum()
    return p


class Parts(TypedDict, total=False):
    """The parts of the method that a mistake does in another way. `spread_over` says of p and the
    kept counts over which bins q is spread; `clip` makes p of the kept counts and those beyond;
    `in_groups` is the shape of the groups.
    """

    spread_over: Callable[[np.ndarray, np.ndarray], np.ndarray]
    measure: Callable[[np.ndarray, np.ndarray], float]
    normalised: bool
    clip: Callable[[np.ndarray, np.ndarray], np.ndarray]
    in_groups: tuple[int, int]


def _where_p(p: np.ndarray, kept: np.ndarray) -> np.ndarray:
    return p > 0


def distances(counts: np.ndarray, levels: int, **parts: Unpack[Parts]) -> list[float]:
    """The distance for each number of bins that is tried: a float for each multiple of `levels`."""
    rows = parts.get("in_groups", (levels, -1))
    spread_over = parts.get("spread_over", _where_p)
    measure = parts.get("measure", distance)
    normalised = parts.get("normalised", True)
    clip = parts.get("clip", clipped)
    found = []
    for n in range(levels, len(counts) + 1, levels):
        kept = counts[:n].astype(np.float64)
        p = clip(kept, counts[n:])
        groups, full = kept.reshape(rows), spread_over(p, kept).reshape(rows)
        q = np.where(full, (groups.sum(1) / np.maximum(full.sum(1), 1))[:, None], 0).ravel()
        p_sum, q_sum = p.sum() or 1, q.sum() or 1
        found.append(measure(p / p_sum, q / q_sum) if normalised else measure(p, q))
    return found


def entropy(
    counts: np.ndarray, levels: int, tried: slice = slice(None), **parts: Unpack[Parts]
) -> int:
    """The number of bins that the method keeps, of the numbers that are `tried`."""
    numbers = np.arange(levels, len(counts) + 1, levels)[tried]
    return int(numbers[np.argmin(distances(counts, levels, **parts)[tried])])


def _where_both(p: np.ndarray, q: np.ndarray) -> float:
    return distance(np.where(q > 0, p, 0), q)


def _first(reached: np.ndarray) -> int:
    return int(np.argmax(reached))


PERCENTILE: dict[str, Callable[[np.ndarray, float], Ends]] = {
    "lower-edge": lambda counts, keep: (_first(share(counts) >= keep),),
    "cuts-the-rest": lambda counts, keep: (_first(share(counts) >= 1 - keep) + 1,),
    "counts-bins": lambda counts, keep: (_first(share((counts > 0).astype(int)) >= keep) + 1,),
    "last-below": lambda counts, keep: (
        max(int(np.sum(share(counts) < keep)) - 1, 0),
        int(np.sum(share(counts) < keep)),
    ),
    "more-than-the-share": lambda counts, keep: (_first(share(counts) > keep) + 1,),
    "empty-bins-dropped": lambda counts, keep: (_first(share(counts[counts > 0]) >= keep) + 1,),
    "rank-rounded": lambda counts, keep: (
        _first(np.cumsum(counts) >= int(keep * counts.sum())) + 1,
        _first(np.cumsum(counts) >= round(keep * counts.sum())) + 1,
        int(np.argmin(abs(share(counts) - keep))) + 1,
    ),
    "first-bin-not-tried": lambda counts, keep: (max(_first(share(counts) >= keep), 1) + 1,),
}


def _last(counts: np.ndarray, levels: int) -> int:
    return len(counts) - levels * int(np.argmin(distances(counts, levels)[::-1]))


ENTROPY: dict[str, Callable[[np.ndarray, int], int]] = {
    "last-of-equals": _last,
    "first-not-tried": lambda counts, levels: entropy(counts, levels, tried=slice(1, None)),
    "small-for-infinite": lambda counts, levels: entropy(
        counts, levels, measure=lambda p, q: distance(p, np.maximum(q, 1e-9))
    ),
    "whole-not-tried": lambda counts, levels: entropy(counts, levels, tried=slice(-1)),
    "groups-of-levels": lambda counts, levels: entropy(counts, levels, in_groups=(-1, levels)),
    "spread-over-empty-bins": lambda counts, levels: entropy(
        counts, levels, spread_over=lambda p, kept: np.ones(len(p), bool)
    ),
    "spread-by-kept": lambda counts, levels: entropy(
        counts, levels, spread_over=lambda p, kept: kept > 0
    ),
    "last-bin-replaced": lambda counts, levels: entropy(
        counts, levels, clip=lambda kept, beyond: np.append(kept[:-1], beyond.sum())
    ),
    "larger-of-both": lambda counts, levels: entropy(
        counts,
        levels,
        clip=lambda kept, beyond: np.append(kept[:-1], max(kept[-1], beyond.sum())),
    ),
    "one-bin-lost": lambda counts, levels: entropy(
        counts, levels, clip=lambda kept, beyond: clipped(kept, beyond[1:])
    ),
    "infinite-left-out": lambda counts, levels: entropy(counts, levels, measure=_where_both),
    "other-direction": lambda counts, levels: entropy(
        counts, levels, measure=lambda p, q: distance(q, p)
    ),
    "not-normalised": lambda counts, levels: entropy(counts, levels, normalised=False),
    "squares": lambda counts, levels: entropy(
        counts, levels, measure=lambda p, q: float(((p - q) ** 2).sum())
    ),
}


def in_place(counts: np.ndarray, levels: int) -> int:
    """The bins that are kept by who adds what lies beyond each cut to the histogram itself."""
    spoilt, found = counts.astype(np.float64), []
    for place, n in enumerate(range(levels, len(counts) + 1, levels)):
        found.append(distances(spoilt, levels)[place])
        spoilt[n - 1] += spoilt[n:].sum()
    return levels * (1 + int(np.argmin(found)))


def ends(mistake: str, counts: np.ndarray, third: Third) -> Ends:
    """Return where the mistake of that id ends, in bins."""
    if isinstance(third, float):
        return PERCENTILE[mistake](counts, third)
    return (ENTROPY[mistake](counts, third),)

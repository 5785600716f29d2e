"""What students get wrong in `calibration`. Each body computes the cut that the mistake leads to,
in bins, and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, Unpack

import numpy as np

from nbjudge.findings import Causes, Section

CALIBRATE = Section("lab-7-01/04-int8#calibration")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = CALIBRATE.mistake("""Adding what lies beyond the cut to `counts` itself changes the
        histogram for every cut that follows. Work on a copy.""")
    sums_in_place = CALIBRATE.mistake("""The running sum is an array of its own. Written into
        `counts`, it replaces the histogram that your caller still needs.""")
    no_width = CALIBRATE.mistake("""That is the number of bins below the cut. The cut is the
        magnitude at which they end: multiply by `width`.""")


def share(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) / counts.sum()


# The second list holds mistakes that show in one kind of histogram alone.
PERCENTILE, IN_ONE_KIND = Causes(), Causes()


@PERCENTILE.misconception(CALIBRATE)
def whole_range(found, counts, keep):
    """That is the whole range: every magnitude is kept. Stop at the first bin that reaches the
    share.
    """
    return found == len(counts)


@PERCENTILE.misconception(CALIBRATE)
def lower_edge(found, counts, keep):
    """The cut lies at the upper edge of the bin that reaches the share. Bin i ends at (i + 1) *
    width.
    """
    return found == np.argmax(share(counts) >= keep)


@PERCENTILE.misconception(CALIBRATE)
def cuts_the_rest(found, counts, keep):
    """`keep` is the share that stays. The cut was placed where 1 - keep is reached."""
    return found == np.argmax(share(counts) >= 1 - keep) + 1


@PERCENTILE.misconception(CALIBRATE)
def counts_bins(found, counts, keep):
    """Full bins were counted, and not what is in them. A bin with a thousand magnitudes counts a
    thousand times as much as one with a single magnitude.
    """
    return found == np.argmax(share((counts > 0).astype(int)) >= keep) + 1


@PERCENTILE.misconception(CALIBRATE)
def last_below(found, counts, keep):
    """The share below that cut is still smaller than `keep`. Take the first cut that reaches it."""
    return found == max(int(np.sum(share(counts) < keep)) - 1, 0) or found == np.sum(
        share(counts) < keep
    )


@IN_ONE_KIND.misconception(CALIBRATE)
def more_than_the_share(found, counts, keep):
    """A lower cut keeps exactly that share, and exactly is enough: compare with >=, not with >."""
    return found == np.argmax(share(counts) > keep) + 1


@IN_ONE_KIND.misconception(CALIBRATE)
def empty_bins_dropped(found, counts, keep):
    """That is a number of full bins. An empty bin below the cut is as wide as a full one, so it
    counts where the cut is measured.
    """
    return found == np.argmax(share(counts[counts > 0]) >= keep) + 1


@IN_ONE_KIND.misconception(CALIBRATE)
def first_bin_not_tried(found, counts, keep):
    """The first bin alone holds the share here, so the cut is its upper edge. Compare after each bin
    that you add, the first one too.
    """
    return found == np.maximum(np.argmax(share(counts) >= keep), 1) + 1


@PERCENTILE.misconception(CALIBRATE)
def share_of_the_range(found, counts, keep):
    """That is a share of the range. A percentile counts magnitudes, wherever they lie."""
    return abs(found - keep * len(counts)) < 1


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


# Of two that end at one cut the earlier is named.
ENTROPY = Causes()


@ENTROPY.misconception(CALIBRATE)
def last_of_equals(found, counts, levels):
    """A lower cut has the same KL, and of equal ones the lowest is asked for. Take another cut only
    if its KL is smaller: compare with <, not with <=.
    """
    backwards = distances(counts, levels)[::-1]
    last = len(counts) - levels * int(np.argmin(backwards))
    return found == last


@ENTROPY.misconception(CALIBRATE)
def first_not_tried(found, counts, levels):
    """Your cut is the one that comes out if the first n is not tried. The first n is `levels`, with
    one bin in each group, and here it has the smallest KL.
    """
    return found == entropy(counts, levels, tried=slice(1, None))


@ENTROPY.misconception(CALIBRATE)
def small_for_infinite(found, counts, levels):
    """Your cut is the one that comes out if a small number stands where q is 0. A bin where p is not
    0 and q is 0 makes KL infinite; with a small number it costs p times a constant that you chose.
    """
    return found == entropy(counts, levels, measure=lambda p, q: distance(p, np.maximum(q, 1e-9)))


@ENTROPY.misconception(CALIBRATE)
def whole_not_tried(found, counts, levels):
    """Your cut is the one that comes out if the last n is not tried. The last n is all bins, and here
    it has the smallest KL. `range` stops before its end, so its end has to be len(counts) + 1.
    """
    return found == entropy(counts, levels, tried=slice(-1))


@ENTROPY.misconception(CALIBRATE)
def groups_of_levels(found, counts, levels):
    """Your cut is the one that comes out of n / levels groups of `levels` bins. It has to be the other
    way round: `levels` groups of n / levels bins each.
    """
    return found == entropy(counts, levels, in_groups=(-1, levels))


@ENTROPY.misconception(CALIBRATE)
def clipping_is_free(found, counts, levels):
    """That is the first cut that is tried. There p and q are alike, bin by bin, unless what lies
    beyond the cut is in the last bin of p and not in q. Put it there, try the other cuts too, and
    weigh log(p / q), of which the smallest counts.
    """
    return found == levels


@ENTROPY.misconception(CALIBRATE)
def spread_over_empty_bins(found, counts, levels):
    """Your cut is the one that comes out if each group's sum is spread over all of its bins, also over
    those where p is 0. Only bins where p is not 0 get a part.
    """
    return found == entropy(counts, levels, spread_over=lambda p, kept: np.ones(len(p), bool))


def _where_both(p: np.ndarray, q: np.ndarray) -> float:
    return distance(np.where(q > 0, p, 0), q)


@ENTROPY.misconception(CALIBRATE)
def spread_by_kept(found, counts, levels):
    """Look at the last bin of the kept counts: it may be empty where that of **p** is not, because
    p has everything beyond the cut there. q is spread over the bins where p is not 0.
    """
    return found == entropy(counts, levels, spread_over=lambda p, kept: kept > 0)


@ENTROPY.misconception(CALIBRATE)
def last_bin_replaced(found, counts, levels):
    """Your cut is the one that comes out if what lies beyond the cut replaces what the last bin of p
    holds. It has to be added to the last bin.
    """
    return found == entropy(
        counts, levels, clip=lambda kept, beyond: np.append(kept[:-1], beyond.sum())
    )


@ENTROPY.misconception(CALIBRATE)
def one_bin_lost(found, counts, levels):
    """Your cut is the one that comes out if what lies beyond it begins with bin n + 1. Bin n is the
    first one beyond the cut, so what it holds was neither kept nor clipped.
    """
    return found == entropy(counts, levels, clip=lambda kept, beyond: clipped(kept, beyond[1:]))


@ENTROPY.misconception(CALIBRATE)
def infinite_left_out(found, counts, levels):
    """Your cut is the one that comes out if the bins where q is 0 and p is not are left out. They make
    KL infinite, because q gives probability 0 to something that occurs.
    """
    return found == entropy(counts, levels, measure=_where_both)


@ENTROPY.misconception(CALIBRATE)
def other_direction(found, counts, levels):
    """Your cut is the one that comes out of the sum of q * log(q / p). The distance of Kullback and
    Leibler is not symmetric: weigh by p, the true histogram.
    """
    return found == entropy(counts, levels, measure=lambda p, q: distance(q, p))


@ENTROPY.misconception(CALIBRATE)
def not_normalised(found, counts, levels):
    """Your cut is the one that comes out if p and q are compared as they are. They have different
    sums, because q lacks what was cut off, so divide each by its own sum first.
    """
    return found == entropy(counts, levels, normalised=False)


@ENTROPY.misconception(CALIBRATE)
def squares(found, counts, levels):
    """Your cut is the one that comes out of the sum of the squared differences. Entropy compares p and
    q by p * log(p / q).
    """
    return found == entropy(counts, levels, measure=lambda p, q: float(((p - q) ** 2).sum()))


@ENTROPY.misconception(CALIBRATE)
def nothing_cut(found, counts, levels):
    """That is the whole range: nothing is cut. Try every number of bins, and keep the one with the
    smallest distance.
    """
    return found == len(counts)

"""What students get wrong in `calibration`. Each body computes the cut that the mistake leads to,
in bins, and compares.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from autograder.findings import Section, misconception

CALIBRATE = Section("lab-7-01/04-int8#calibration")


class Mistakes:
    """Those that a rung recognises by itself."""

    in_place = CALIBRATE.mistake("""Adding what lies beyond the cut to `counts` itself changes the
        histogram for every cut that follows. Work on a copy.""")


def share(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) / counts.sum()


@misconception(CALIBRATE)
def lower_edge(found, counts, keep):
    """The cut lies at the upper edge of the bin that reaches the share. Bin i ends at (i + 1) *
    width.
    """
    return found == np.argmax(share(counts) >= keep)


@misconception(CALIBRATE)
def whole_range(found, counts, keep):
    """That is the whole range: every magnitude is kept. Stop at the first bin that reaches the
    share.
    """
    return found == len(counts)


@misconception(CALIBRATE)
def share_of_the_range(found, counts, keep):
    """That is a share of the range. A percentile counts magnitudes, wherever they lie."""
    return abs(found - keep * len(counts)) < 1


@misconception(CALIBRATE)
def cuts_the_rest(found, counts, keep):
    """`keep` is the share that stays. The cut was placed where 1 - keep is reached."""
    return found == np.argmax(share(counts) >= 1 - keep) + 1


@misconception(CALIBRATE)
def last_below(found, counts, keep):
    """The share below that cut is still smaller than `keep`. Take the first cut that reaches it."""
    return found == max(int(np.sum(share(counts) < keep)) - 1, 0) or found == np.sum(
        share(counts) < keep
    )


@misconception(CALIBRATE)
def more_than_the_share(found, counts, keep):
    """A lower cut keeps exactly that share, and exactly is enough: compare with >=, not with >."""
    return found == np.argmax(share(counts) > keep) + 1


@misconception(CALIBRATE)
def counts_bins(found, counts, keep):
    """Full bins were counted, and not what is in them. A bin with a thousand magnitudes counts a
    thousand times as much as one with a single magnitude.
    """
    return found == np.argmax(share((counts > 0).astype(int)) >= keep) + 1


def distance(p: np.ndarray, q: np.ndarray) -> float:
    """The sum of p * log(p / q), infinite where q is 0 and p is not."""
    used = p > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.sum(p[used] * np.log(p[used] / q[used])))


def distances(
    counts: np.ndarray,
    levels: int,
    spread_over: Callable[[np.ndarray], np.ndarray] = lambda p: p > 0,
    measure: Callable[[np.ndarray, np.ndarray], float] = distance,
    normalised: bool = True,
) -> list[float]:
    """The distance for each number of bins, where one part of the method may be done in another
    way.
    """
    found = []
    for n in range(levels, len(counts) + 1, levels):
        kept = counts[:n].astype(np.float64)
        p = kept.copy()
        p[-1] += counts[n:].sum()
        groups, full = kept.reshape(levels, -1), spread_over(p).reshape(levels, -1)
        q = np.where(full, (groups.sum(1) / np.maximum(full.sum(1), 1))[:, None], 0).ravel()
        found.append(measure(p / p.sum(), q / (q.sum() or 1)) if normalised else measure(p, q))
    return found


def entropy(counts: np.ndarray, levels: int, **otherwise: object) -> int:
    """The number of bins that the method keeps."""
    return levels * (1 + int(np.argmin(distances(counts, levels, **otherwise))))


@misconception(CALIBRATE)
def clipping_is_free(found, counts, levels):
    """That is the first cut that is tried. There p and q are alike, bin by bin, unless what lies
    beyond the cut is in the last bin of p and not in q. Put it there, and try the other cuts too.
    """
    return found == levels


@misconception(CALIBRATE)
def spread_over_empty_bins(found, counts, levels):
    """A group's sum was spread over all of its bins, also over those where p is 0. Only bins that
    hold something get a part.
    """
    return found == entropy(counts, levels, spread_over=lambda p: np.ones(len(p), bool))


@misconception(CALIBRATE)
def other_direction(found, counts, levels):
    """That is the sum of q * log(q / p). The distance of Kullback and Leibler is not symmetric:
    weigh by p, the true histogram.
    """
    return found == entropy(counts, levels, measure=lambda p, q: distance(q, p))


@misconception(CALIBRATE)
def squares(found, counts, levels):
    """That is the sum of the squared differences. Entropy compares p and q by p * log(p / q)."""
    return found == entropy(counts, levels, measure=lambda p, q: float(((p - q) ** 2).sum()))


@misconception(CALIBRATE)
def not_normalised(found, counts, levels):
    """p and q have different sums, because q lacks what was cut off. Divide each by its own sum
    before you compare them.
    """
    return found == entropy(counts, levels, normalised=False)


@misconception(CALIBRATE)
def nothing_cut(found, counts, levels):
    """That is the whole range: nothing is cut. Try every number of bins, and keep the one with the
    smallest distance.
    """
    return found == len(counts)


PERCENTILE = (whole_range, lower_edge, cuts_the_rest, counts_bins, last_below, share_of_the_range)
ENTROPY = (
    clipping_is_free,
    spread_over_empty_bins,
    other_direction,
    not_normalised,
    squares,
    nothing_cut,
)

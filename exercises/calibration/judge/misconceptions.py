"""What students get wrong in `calibration`. Each body looks up the cut that the mistake leads to, in
bins, and compares.
"""

from __future__ import annotations

import numpy as np

from formatlab_exercises.calibration.judge import stored
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


def ends_at(mistake: str, found: float, counts: np.ndarray, third: float | int) -> bool:
    """Decide whether the mistake of that id ends at `found` bins."""
    known = stored.ends(mistake, counts, third)
    if known is None:
        # Here alone: that file is the method itself, and a lab's page has only what is loaded.
        from formatlab_exercises.calibration.judge import computed

        known = computed.ends(mistake, counts, third)
    return any(found == end for end in known)


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
    return ends_at("lower-edge", found, counts, keep)


@PERCENTILE.misconception(CALIBRATE)
def cuts_the_rest(found, counts, keep):
    """`keep` is the share that stays. The cut was placed where 1 - keep is reached."""
    return ends_at("cuts-the-rest", found, counts, keep)


@PERCENTILE.misconception(CALIBRATE)
def counts_bins(found, counts, keep):
    """Full bins were counted, and not what is in them. A bin with a thousand magnitudes counts a
    thousand times as much as one with a single magnitude.
    """
    return ends_at("counts-bins", found, counts, keep)


@PERCENTILE.misconception(CALIBRATE)
def last_below(found, counts, keep):
    """The share below that cut is still smaller than `keep`. Take the first cut that reaches it."""
    return ends_at("last-below", found, counts, keep)


@IN_ONE_KIND.misconception(CALIBRATE)
def more_than_the_share(found, counts, keep):
    """A lower cut keeps exactly that share, and exactly is enough: compare with >=, not with >."""
    return ends_at("more-than-the-share", found, counts, keep)


@IN_ONE_KIND.misconception(CALIBRATE)
def empty_bins_dropped(found, counts, keep):
    """That is a number of full bins. An empty bin below the cut is as wide as a full one, so it
    counts where the cut is measured.
    """
    return ends_at("empty-bins-dropped", found, counts, keep)


@IN_ONE_KIND.misconception(CALIBRATE)
def rank_rounded(found, counts, keep):
    """The share below that cut is near to `keep`, and smaller. keep * counts.sum() is seldom a whole
    number of magnitudes: do not cut or round it, and do not take the nearest share, but the first
    cut that reaches it.
    """
    return ends_at("rank-rounded", found, counts, keep)


@IN_ONE_KIND.misconception(CALIBRATE)
def first_bin_not_tried(found, counts, keep):
    """The first bin alone holds the share here, so the cut is its upper edge. Compare after each bin
    that you add, the first one too.
    """
    return ends_at("first-bin-not-tried", found, counts, keep)


@PERCENTILE.misconception(CALIBRATE)
def share_of_the_range(found, counts, keep):
    """That is a share of the range. A percentile counts magnitudes, wherever they lie."""
    return abs(found - keep * len(counts)) < 1


# Of two that end at one cut the earlier is named.
ENTROPY = Causes()


@ENTROPY.misconception(CALIBRATE)
def last_of_equals(found, counts, levels):
    """A lower cut has the same KL, and of equal ones the lowest is asked for. Take another cut only
    if its KL is smaller: compare with <, not with <=.
    """
    return ends_at("last-of-equals", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def first_not_tried(found, counts, levels):
    """Your cut is the one that comes out if the first n is not tried. The first n is `levels`, with
    one bin in each group, and here it has the smallest KL.
    """
    return ends_at("first-not-tried", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def small_for_infinite(found, counts, levels):
    """Your cut is the one that comes out if a small number stands where q is 0. A bin where p is not
    0 and q is 0 makes KL infinite; with a small number it costs p times a constant that you chose.
    """
    return ends_at("small-for-infinite", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def whole_not_tried(found, counts, levels):
    """Your cut is the one that comes out if the last n is not tried. The last n is all bins, and here
    it has the smallest KL. `range` stops before its end, so its end has to be len(counts) + 1.
    """
    return ends_at("whole-not-tried", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def groups_of_levels(found, counts, levels):
    """Your cut is the one that comes out of n / levels groups of `levels` bins. It has to be the other
    way round: `levels` groups of n / levels bins each.
    """
    return ends_at("groups-of-levels", found, counts, levels)


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
    return ends_at("spread-over-empty-bins", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def spread_by_kept(found, counts, levels):
    """Look at the last bin of the kept counts: it may be empty where that of **p** is not, because
    p has everything beyond the cut there. q is spread over the bins where p is not 0.
    """
    return ends_at("spread-by-kept", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def last_bin_replaced(found, counts, levels):
    """Your cut is the one that comes out if what lies beyond the cut replaces what the last bin of p
    holds. It has to be added to the last bin.
    """
    return ends_at("last-bin-replaced", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def larger_of_both(found, counts, levels):
    """Your cut is the one that comes out if the last bin of p has the larger of two numbers: what it
    holds, and what lies beyond the cut. It has to have their sum.
    """
    return ends_at("larger-of-both", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def one_bin_lost(found, counts, levels):
    """Your cut is the one that comes out if what lies beyond it begins with bin n + 1. Bin n is the
    first one beyond the cut, so what it holds was neither kept nor clipped.
    """
    return ends_at("one-bin-lost", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def infinite_left_out(found, counts, levels):
    """Your cut is the one that comes out if the bins where q is 0 and p is not are left out. They make
    KL infinite, because q gives probability 0 to something that occurs.
    """
    return ends_at("infinite-left-out", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def other_direction(found, counts, levels):
    """Your cut is the one that comes out of the sum of q * log(q / p). The distance of Kullback and
    Leibler is not symmetric: weigh by p, the true histogram.
    """
    return ends_at("other-direction", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def not_normalised(found, counts, levels):
    """Your cut is the one that comes out if p and q are compared as they are. They have different
    sums, because q lacks what was cut off, so divide each by its own sum first.
    """
    return ends_at("not-normalised", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def squares(found, counts, levels):
    """Your cut is the one that comes out of the sum of the squared differences. Entropy compares p and
    q by p * log(p / q).
    """
    return ends_at("squares", found, counts, levels)


@ENTROPY.misconception(CALIBRATE)
def nothing_cut(found, counts, levels):
    """That is the whole range: nothing is cut. Try every number of bins, and keep the one with the
    smallest distance.
    """
    return found == len(counts)

"""The cases of `calibration`: histograms of one shape each, as many for each of the two functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from formatlab_exercises.calibration.judge import misconceptions, stored
from formatlab_exercises.shared.arrays import GIVEN, packed
from nbjudge.contract import Case, case_seed
from nbjudge.findings import Misconception

ID = "calibration"
BINS, LEVELS, KEEPS = 256, 16, (0.8, 0.9, 0.95)
ATTEMPTS = 2000
Shape = Callable[[np.random.Generator], np.ndarray]


def _tail(rng: np.random.Generator) -> np.ndarray:
    """A long tail, as an activation behind a Relu has."""
    return rng.gamma(1.2, rng.uniform(0.8, 1.4), 20_000)


def _gaps(rng: np.random.Generator) -> np.ndarray:
    """Bins in which nothing lies: values that came from a table."""
    # Where a pointer has 32 bits, NumPy takes counts of 32 bits alone.
    values = rng.choice(np.arange(200) / 20, 40, replace=False)
    return np.repeat(values, rng.integers(1, 400, 40).astype(np.intp))


def _outliers(rng: np.random.Generator) -> np.ndarray:
    """A few values far beyond all others."""
    return np.append(np.abs(rng.normal(size=15_000)), rng.uniform(17, 20, int(rng.integers(3, 9))))


def _all_in_one(rng: np.random.Generator) -> np.ndarray:
    """Nearly all values are 0, as behind a Relu that is seldom active."""
    return np.append(np.zeros(9_000), rng.uniform(0, 5, int(rng.integers(30, 80))))


def _three_quarters(rng: np.random.Generator) -> np.ndarray:
    """A gap, and exactly three quarters below it. There are 2 ** 12 magnitudes, so that no sum of
    shares is rounded.
    """
    return np.append(rng.uniform(0, rng.uniform(3, 4), 3072), rng.uniform(5, 9, 1024))


def _between_ranks(rng: np.random.Generator) -> np.ndarray:
    """A few magnitudes, of which one below the rank that is asked for lie before the cut: who cuts
    the rank, rounds it, or takes the nearest share, keeps less than the share.
    """
    last = int(rng.integers(30, 60))
    total = int(rng.choice([n for n in range(40, 90) if 0.1 < RANKED * n % 1 < 0.4]))
    rank = int(RANKED * total)
    below = rng.integers(0, last, rank)
    below[0] = last
    above = [last + 40] * (total - rank - 1)
    return (np.array([*below, *above, last + 90]) + 0.5) / 20


def _far_off(rng: np.random.Generator) -> np.ndarray:
    """Most values end at a quarter of the range, and a few lie at its end: a cut between them has
    an infinite KL, and one below clips much.
    """
    return np.append(4.4 * rng.beta(1, 1.1, 15_000), rng.uniform(19.9, 20, int(rng.integers(2, 5))))


def _table(rng: np.random.Generator, first: int, apart: int, entries: int) -> np.ndarray:
    """The counts of a few magnitudes that lie `apart` bins from each other, in a range that goes far
    beyond them. While no group holds two of them, KL is 0. There are 2 ** 12 magnitudes, so that
    no rounding makes it another number.
    """
    counts = np.zeros(BINS, np.int64)
    parts = rng.choice(np.arange(1, 4096), entries - 1, replace=False)
    filled = slice(first, first + apart * entries, apart)
    counts[filled] = np.diff(np.sort(np.append(parts, (0, 4096))))
    return counts


def _equal_cuts(rng: np.random.Generator) -> np.ndarray:
    """The second cut has a KL of 0, and so have the third and the fourth."""
    return _table(rng, 3, 4, 8)


def _one_beyond(rng: np.random.Generator) -> np.ndarray:
    """The third cut has a KL of 0, and so has the fourth. Beyond the second lies the bin behind it."""
    return _table(rng, 0, 4, 9)


def _last_full(rng: np.random.Generator) -> np.ndarray:
    """One magnitude lies beyond the second cut, far off, and many in the last bin below it."""
    counts = _table(rng, 3, 4, 8)
    counts[200] = 1
    return counts


def _both_full(rng: np.random.Generator) -> np.ndarray:
    """Something lies beyond the second cut, and more in the last bin below it. The third cut alone
    has a KL of 0: at the fourth one two magnitudes share a group.
    """
    counts = np.zeros(BINS, np.int64)
    filled = [*range(3, 31, 4), 38, 39, 31]
    parts = rng.choice(np.arange(1, 4096), len(filled) - 1, replace=False)
    counts[filled] = np.sort(np.diff(np.sort(np.append(parts, (0, 4096)))))
    counts[[3, 38]] = counts[[38, 3]]
    counts[[7, 39]] = counts[[39, 7]]
    return counts


def _crowded(rng: np.random.Generator) -> np.ndarray:
    """Most values crowd at a few places below a quarter of the range, and a few lie at its end: the
    groups of the whole range lose much, and every lower cut has an infinite KL, since nothing lies
    in its last group. However small a number stands for 0 there, a lower cut costs less.
    """
    counts = np.zeros(BINS, np.int64)
    counts[:57] = rng.integers(5, 30, 57)
    counts[3:57:8] = rng.integers(1500, 2500, 7)
    counts[[15, 30, 31, 45, 46, 47]] = 0
    counts[-1] = rng.integers(2, 5)
    return counts


def _first_cut(rng: np.random.Generator) -> np.ndarray:
    """Nothing lies beyond the first cut. It has a KL of 0, and so have the second and the third."""
    return _table(rng, 0, 3, int(rng.integers(4, 6)))


KINDS: dict[str, Shape] = {
    "tail": _tail,
    "gaps": _gaps,
    "outliers": _outliers,
    "mostly-zero": _all_in_one,
    "far-off": _far_off,
}
# Of these the share that is asked for lies exactly at a cut.
EXACT: dict[str, Shape] = {"three-quarters": _three_quarters}
EXACTLY = 0.75
# Of these it lies a fraction of a magnitude above one, and the table fixes it.
RANKS: dict[str, Shape] = {"between-ranks": _between_ranks}
RANKED = 0.55
# Of these several cuts lose nothing, and the lowest of them is asked for.
TABLES: dict[str, Shape] = {
    "last-full": _last_full,
    "both-full": _both_full,
    "crowded": _crowded,
}
EQUAL: dict[str, Shape] = {
    "equal-cuts": _equal_cuts,
    "one-beyond": _one_beyond,
    "first-cut": _first_cut,
}
# The mistakes that a histogram has to tell from what is right, for each function.
TELLS: dict[str, dict[str, Sequence[Misconception]]] = {
    "percentile": {
        "tail": misconceptions.PERCENTILE,
        "gaps": (*misconceptions.PERCENTILE, misconceptions.empty_bins_dropped),
        "mostly-zero": (misconceptions.first_bin_not_tried,),
        "three-quarters": (*misconceptions.PERCENTILE, misconceptions.more_than_the_share),
        "between-ranks": (
            *misconceptions.PERCENTILE,
            misconceptions.rank_rounded,
        ),
    },
    "entropy": {
        "tail": (
            misconceptions.squares,
            misconceptions.spread_by_kept,
            misconceptions.other_direction,
            misconceptions.not_normalised,
        ),
        "gaps": (
            misconceptions.spread_over_empty_bins,
            misconceptions.other_direction,
            misconceptions.infinite_left_out,
        ),
        "outliers": (misconceptions.nothing_cut, misconceptions.groups_of_levels),
        "mostly-zero": (
            misconceptions.spread_over_empty_bins,
            misconceptions.spread_by_kept,
            misconceptions.nothing_cut,
        ),
        "far-off": (misconceptions.small_for_infinite, misconceptions.whole_not_tried),
        "equal-cuts": (misconceptions.last_of_equals,),
        "last-full": (misconceptions.last_bin_replaced, misconceptions.nothing_cut),
        "one-beyond": (misconceptions.one_bin_lost,),
        "first-cut": (misconceptions.first_not_tried,),
    },
}
# Of the mistakes of `entropy_cut`, those that lead to another cut in a hidden histogram of this kind,
# for every seed: so what a mistake costs does not depend on the draw.
SHOWN: dict[str, Sequence[Misconception]] = {
    "gaps": (
        misconceptions.whole_not_tried,
        misconceptions.clipping_is_free,
        misconceptions.spread_over_empty_bins,
        misconceptions.infinite_left_out,
        misconceptions.other_direction,
    ),
    "equal-cuts": (
        misconceptions.last_of_equals,
        misconceptions.clipping_is_free,
        misconceptions.nothing_cut,
    ),
    "both-full": (
        misconceptions.clipping_is_free,
        misconceptions.spread_over_empty_bins,
        misconceptions.larger_of_both,
        misconceptions.nothing_cut,
    ),
    "tail": (
        misconceptions.groups_of_levels,
        misconceptions.clipping_is_free,
        misconceptions.spread_by_kept,
        misconceptions.other_direction,
        misconceptions.not_normalised,
        misconceptions.squares,
        misconceptions.nothing_cut,
    ),
    "outliers": (
        misconceptions.groups_of_levels,
        misconceptions.clipping_is_free,
        misconceptions.nothing_cut,
    ),
    "mostly-zero": (
        misconceptions.groups_of_levels,
        misconceptions.clipping_is_free,
        misconceptions.spread_over_empty_bins,
        misconceptions.spread_by_kept,
        misconceptions.infinite_left_out,
        misconceptions.nothing_cut,
    ),
    "far-off": (
        misconceptions.small_for_infinite,
        misconceptions.whole_not_tried,
        misconceptions.clipping_is_free,
        misconceptions.infinite_left_out,
        misconceptions.other_direction,
        misconceptions.squares,
    ),
    "crowded": (
        misconceptions.small_for_infinite,
        misconceptions.whole_not_tried,
        misconceptions.groups_of_levels,
        misconceptions.clipping_is_free,
        misconceptions.infinite_left_out,
        misconceptions.other_direction,
        misconceptions.squares,
    ),
    "last-full": (
        misconceptions.groups_of_levels,
        misconceptions.clipping_is_free,
        misconceptions.spread_over_empty_bins,
        misconceptions.last_bin_replaced,
        misconceptions.infinite_left_out,
        misconceptions.nothing_cut,
    ),
    "one-beyond": (
        misconceptions.last_of_equals,
        misconceptions.clipping_is_free,
        misconceptions.one_bin_lost,
        misconceptions.infinite_left_out,
        misconceptions.nothing_cut,
    ),
    "first-cut": (
        misconceptions.last_of_equals,
        misconceptions.first_not_tried,
        misconceptions.nothing_cut,
    ),
}
# Hidden histograms in which each mistake that shows ends at a cut of its own.
TOLD = ("tail", "gaps")
# Hidden histograms in which whoever adds to `counts` itself ends at another cut, for every seed.
SPOILT = ("one-beyond",)
# Draws in which every mistake of `entropy_cut` that shows ends at a cut of its own, so that each is
# known by its result.
PUBLIC_DRAW = 1085
PUBLIC_DRAWS = {"entropy-outliers": 1, "entropy-tail": 44}
# The order in which they are told: groups that are mixed up leave the tail as it is, as nothing cut
# does.
PUBLIC = {
    "percentile": ("tail", "gaps", "outliers", *EXACT, *RANKS),
    "entropy": ("outliers", "tail", "gaps", "far-off", "last-full", *EQUAL),
}
DRAWS = {"percentile": {**KINDS, **EXACT, **RANKS}, "entropy": {**KINDS, **TABLES, **EQUAL}}
HIDDEN = {
    "percentile": ("tail", "outliers", "gaps", "mostly-zero", *EXACT, *RANKS),
    "entropy": tuple(SHOWN),
}
FUNCTIONS = {"percentile": "percentile_cut", "entropy": "entropy_cut"}


class Draw(NamedTuple):
    """What a case is drawn by."""

    name: str
    short: str
    kind: str
    seed: int
    public: bool


def public_cases() -> list[Case]:
    return list(map(_case, public_draws()))


def cases(seed: int) -> list[Case]:
    return list(map(_case, hidden_draws(seed)))


def public_draws() -> list[Draw]:
    return [
        Draw(f"{short}-{kind}", short, kind, 0, True)
        for short in FUNCTIONS
        for kind in PUBLIC[short]
    ]


def hidden_draws(seed: int) -> list[Draw]:
    names = [
        (short, kind, f"{short}-{kind}{'-new' * (kind in PUBLIC[short])}")
        for short in FUNCTIONS
        for kind in HIDDEN[short]
    ]
    return [
        Draw(name, short, kind, case_seed(seed, ID, name), False) for short, kind, name in names
    ]


def _case(draw: Draw) -> Case:
    third, drawn = histograms(draw)
    taken = stored.attempt(draw.name, draw.seed)
    if taken is None:
        taken, (counts, width) = fitting(draw)
    else:
        counts, width = next(islice(drawn, taken, None))
    parameters = {"function": FUNCTIONS[draw.short], "width": width, "third": third}
    files = {GIVEN: packed({"counts": counts.astype(np.int64)})}
    return Case(draw.name, files, parameters, draw.public, draw.seed)


def histograms(draw: Draw) -> tuple[float | int, Iterator[tuple[np.ndarray, float]]]:
    """Return the third argument, and the histograms among which the case is, each with its width."""
    rng = np.random.default_rng(
        [
            PUBLIC_DRAWS.get(draw.name, PUBLIC_DRAW) if draw.public else draw.seed,
            len(draw.name),
        ]
    )
    third = float(rng.choice(KEEPS)) if draw.short == "percentile" else LEVELS
    third = EXACTLY if draw.kind in EXACT else RANKED if draw.kind in RANKS else third
    shape = DRAWS[draw.short][draw.kind]
    return third, (_histogram(shape, rng) for _ in range(ATTEMPTS))


def fitting(draw: Draw) -> tuple[int, tuple[np.ndarray, float]]:
    """Return the first of the histograms that may be the case, behind its place among them."""
    # Here alone, as in `misconceptions`.
    from formatlab_exercises.calibration.judge.fitting import (
        are_told_apart,
        is_clear,
        is_plain,
        shown,
        shows_in_place,
    )

    third, drawn = histograms(draw)
    excluded, equal = TELLS[draw.short].get(draw.kind, ()), draw.kind in EQUAL

    def is_asked(counts: np.ndarray) -> bool:
        if draw.short == "percentile":
            return draw.kind in RANKS or is_plain(counts, third)
        if draw.public:
            return True
        mistakes = shown(counts, LEVELS)
        is_told = draw.kind not in TOLD or are_told_apart(counts, LEVELS, mistakes)
        is_spoilt = draw.kind not in SPOILT or shows_in_place(counts, LEVELS)
        return mistakes == list(SHOWN[draw.kind]) and is_told and is_spoilt

    return next(
        (place, (counts, width))
        for place, (counts, width) in enumerate(drawn)
        if is_clear(counts, third, excluded, equal=equal, exactly=EXACTLY) and is_asked(counts)
    )


def _histogram(draw: Shape, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    drawn = draw(rng)
    if draw in (*TABLES.values(), *EQUAL.values()):
        return drawn, float(rng.uniform(0.02, 0.05))
    counts, edges = np.histogram(drawn, BINS, range=(0, drawn.max()))
    return counts, float(edges[1])

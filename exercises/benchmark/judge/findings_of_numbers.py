"""Findings of `benchmark` about numbers: which statistic is not that of the timed turns, and what it
is instead.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from formatlab_exercises.benchmark.judge.evidence import SHARES, between
from formatlab_exercises.benchmark.judge.findings import MEDIANS
from formatlab_exercises.benchmark.judge.misconceptions import Mistakes
from nbjudge.contract import Case, Finding
from nbjudge.findings import Misconception

UNITS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}
ORDER = "p10 ≤ median ≤ p90"
# 1.28 or 1.3 deviations.
ROUGHLY = 0.03


@dataclass(frozen=True)
class Numbers:
    """In ns: what the timed turns of a variant took, what all its timed calls took, each in the order
    in which they were made, how far a right number may lie off, and the three that were reported.
    """

    taken: list[int]
    everything: list[int]
    slack: float
    reported: Mapping[str, float]

    def has(self, found: float, *ends: float) -> bool:
        return min(ends) - self.slack <= found <= max(ends) + self.slack


def other_number(case: Case, key: str, numbers: Numbers) -> Finding:
    """What is wrong with the number that was reported as `key`, or with the order of all three."""
    if is_unsorted(numbers):
        return Finding(ORDER, "the times at these places of the unsorted list", Mistakes.unsorted)
    if not numbers.reported["p10"] <= numbers.reported["median"] <= numbers.reported["p90"]:
        return out_of_order(numbers)
    low, _ = between(numbers.taken, SHARES[key])
    found = numbers.reported[key]
    expected = f"{key} of the timed turns, by the clock that was given"
    expected += f": {low / 1e9:.6g} s" if case.public else ""
    text = f"{found / 1e9:.6g} s" if case.public else "another number"
    cause = (
        _of_other_turns(key, found, numbers)
        or _written_otherwise(key, found, numbers)
        or _misread(key, found, numbers)
    )
    return Finding(expected, text, cause, MEDIANS)


def is_unsorted(numbers: Numbers) -> bool:
    """Whether each number is the time at its share of the turns as they were made."""
    taken, last = numbers.taken, len(numbers.taken) - 1
    return all(
        any(
            numbers.has(found, taken[min(place, last)])
            for place in (
                *(math.floor(SHARES[key] * last), math.ceil(SHARES[key] * last)),
                math.floor(SHARES[key] * len(taken)),
            )
        )
        for key, found in numbers.reported.items()
    )


def out_of_order(numbers: Numbers) -> Finding:
    if numbers.reported["p10"] >= numbers.reported["median"] >= numbers.reported["p90"]:
        return Finding(ORDER, "p10 and p90 the wrong way round", Mistakes.swapped)
    return Finding(ORDER, "another order", Mistakes.unsorted)


def _of_other_turns(key: str, found: float, numbers: Numbers) -> Misconception | None:
    """The right statistic in another unit or of other turns, or the mean or the best in place of
    the median.
    """
    low, high = between(numbers.taken, SHARES[key])
    for factor, unit in UNITS.items():
        slack = numbers.slack
        if (low - slack) * factor <= found <= (high + slack) * factor:
            return Mistakes.milliseconds.told(unit=unit)
    if numbers.has(found, *between(numbers.everything, SHARES[key])):
        return Mistakes.warm_up_counted
    if key == "median":
        if numbers.has(found, statistics.fmean(numbers.taken)):
            return Mistakes.mean
        # Of all three statistics, p90 too, where it is not the median alone.
        if (
            numbers.has(found, min(numbers.taken))
            and numbers.reported["p90"] > between(numbers.taken, 0.5)[0]
        ):
            return Mistakes.best_of
    return None


def _written_otherwise(key: str, found: float, numbers: Numbers) -> Misconception | None:
    """A ratio, a number with few decimals, a share where a percentage is read, or a statistic of
    those turns that are no outliers.
    """
    if found == 1e9 and max(numbers.everything) < 1e9:
        return Mistakes.relative
    low, high = between(numbers.taken, SHARES[key])
    for places in (3, 4, 5):
        half = 0.5 * 10.0 ** (9 - places) + numbers.slack
        if round(found / 1e9, places) == found / 1e9 and low - half <= found <= high + half:
            return Mistakes.rounded
    fraction = float(np.percentile(numbers.taken, SHARES[key]))
    if numbers.has(found, fraction) and numbers.reported["p90"] < between(numbers.taken, 0.5)[0]:
        return Mistakes.fractions
    if any(numbers.has(found, *between(kept, SHARES[key])) for kept in _trimmed(numbers.taken)):
        return Mistakes.drops_outliers
    return None


def _trimmed(taken: list[int]) -> Iterator[list[int]]:
    """What is left of the times when the usual rules have thrown outliers away."""
    ordered, part = sorted(taken), len(taken) // 10
    if part:
        yield from (ordered[:-part], ordered[part:-part])
    first, _, third = statistics.quantiles(taken, n=4, method="inclusive") if part else (0, 0, 0)
    beyond = 1.5 * (third - first)
    middle, deviation = statistics.fmean(taken), statistics.pstdev(taken)
    for low, high in (
        (first - beyond, third + beyond),
        *((middle - times * deviation, middle + times * deviation) for times in (2, 3)),
    ):
        kept = [value for value in taken if low <= value <= high]
        if 1 < len(kept) < len(taken):
            yield kept


def _misread(key: str, found: float, numbers: Numbers) -> Misconception | str:
    """Another place among the sorted turns, or none of them."""
    others = (between(numbers.taken, share) for other, share in SHARES.items() if other != key)
    if any(numbers.has(found, *ends) for ends in others):
        return f"It is another one of the three statistics: {key} has the wrong share, or the wrong name."
    if any(numbers.has(found, *between(numbers.taken, quarter)) for quarter in (0.25, 0.75)):
        return Mistakes.quartiles
    if found > max(numbers.everything) + numbers.slack:
        return Mistakes.start_once
    if key == "median":
        return "It is not a median of the readings around the last `rounds` calls of this variant."
    if any(numbers.has(found, value) for value in numbers.taken):
        return Mistakes.unsorted_tail
    if _is_of_a_bell_curve(SHARES[key], found, numbers):
        return Mistakes.bell_curve
    return "Sort the last `rounds` times of the variant: one in ten is at most p10, one in ten at least p90."


def _is_of_a_bell_curve(share: float, found: float, numbers: Numbers) -> bool:
    """Whether a mean or a median, and a standard deviation of either definition, lead there."""
    taken = numbers.taken
    if len(taken) < 2:
        return False
    tenth = statistics.NormalDist().inv_cdf(share)
    middles = statistics.fmean(taken), statistics.median(taken)
    deviations = statistics.stdev(taken), statistics.pstdev(taken)
    return any(
        abs(found - middle - steps * deviation) <= numbers.slack + ROUGHLY * deviation
        for middle in middles
        for deviation in deviations
        for steps in (tenth, 1.0 if share > 0.5 else -1.0)
    )

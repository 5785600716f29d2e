"""Findings of `benchmark`: what a broken rung looks like, and the mistake that most often stands
behind it.

A finding on a hidden case gives no number and no name: what was called and returned is the
student's choice, and could carry something out.
"""

from __future__ import annotations

import statistics
from itertools import pairwise

from autograder.contract import Case, Finding
from autograder.findings import Misconception
from exercises.benchmark.ask import MAX_QUESTIONS, RETURNED
from exercises.benchmark.judge.evidence import SHARES, STATISTICS, Call, Run, between, is_number
from exercises.benchmark.judge.misconceptions import Mistakes

PAGE = "lab-7-01/02-honest-benchmarks"
WARM_UP, INTERLEAVING, MEDIANS = (
    f"{PAGE}#{anchor}" for anchor in ("warm-up", "interleaving", "medians")
)
UNITS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}
A_TURN = "a turn is: read the clock, call the variant once, read the clock"


def flooded() -> Finding:
    return Finding(
        f"fewer than {MAX_QUESTIONS} calls and readings of the clock",
        "so many that the machine stopped answering",
        Mistakes.busy_wait,
    )


def no_report() -> Finding:
    return Finding(
        "a dict with an entry for each variant",
        "no usable answer",
        "Something else wrote the answer.",
        MEDIANS,
    )


def not_refused(case: Case, what: str, came: object) -> Finding:
    if came == RETURNED:
        text = "the function returns"
        cause = Mistakes.no_refusal
    else:
        text = f"it raises {came}" if case.public else "it raises another exception"
        cause = Mistakes.other_error
    return Finding(f"ValueError for {what}", text, cause, MEDIANS)


def other_names(case: Case, missing: list[str]) -> Finding:
    found = (
        f"no entry for {', '.join(missing)}"
        if missing and case.public
        else "entries are missing"
        if missing
        else "an entry too many"
    )
    return Finding(
        "an entry for each variant, under its name",
        found,
        "The result has the keys of `variants`, and only those.",
        MEDIANS,
    )


def no_statistics(case: Case, entry: object) -> Finding:
    expected = "for each variant a dict with median, p10, p90 (finite numbers, seconds) and warmup (an int, 0 or more)"
    if not isinstance(entry, dict) or "type" in entry:
        found, cause = "an entry that is no dict", Mistakes.numbers_only
    elif missing := [key for key in (*STATISTICS, "warmup") if key not in entry]:
        found, cause = f"an entry without {', '.join(missing)}", Mistakes.no_count
    elif wrong := [key for key in STATISTICS if not is_number(entry[key])]:
        found = f"{wrong[0]} is no finite number"
        cause = "A statistic of an empty list is NaN: no timed turn was kept."
    else:
        found = "warmup is no int of 0 or more"
        cause = "warmup is how many calls were left out: a count, neither seconds nor True."
    return Finding(expected, found, cause, MEDIANS)


def out_of_order(entry: dict) -> Finding:
    expected = "p10 ≤ median ≤ p90"
    if entry["p10"] >= entry["median"] >= entry["p90"]:
        return Finding(expected, "p10 and p90 the wrong way round", Mistakes.swapped)
    return Finding(expected, "another order", Mistakes.unsorted)


def never_called() -> Finding:
    return Finding("every variant is called", "no variant is called", Mistakes.never_calls)


def other_clock() -> Finding:
    return Finding(
        "the clock is read before and after every timed call",
        "the clock that was given is never read",
        Mistakes.perf_counter,
    )


def left_out(case: Case) -> Finding:
    return Finding("every variant is called", "a variant is never called", Mistakes.last_variant)


def untimed(case: Case, run: Run, last: list[Call]) -> Finding:
    """Timed calls without a reading on either side: how the readings lie among the calls tells what
    was done.
    """
    expected = f"in the rounds {A_TURN}"
    if run.reads == 1:
        return Finding(expected, "the clock is read once", Mistakes.clock_once)
    unread = [(one, other) for one, other in pairwise(last) if other.place == one.place + 1]
    if not unread:
        found = "a timed call without a reading on both sides"
        cause = "The last calls of each variant are its timed turns: after them comes nothing."
    elif all(one.variant == other.variant for one, other in unread):
        found, cause = "several calls of a variant between two readings", Mistakes.loop_total
    else:
        found = "two readings with calls of several variants between them"
        cause = Mistakes.round_timed
    return Finding(expected, found, cause, INTERLEAVING)


def other_count(case: Case, had: int, told: int) -> Finding:
    rounds = case.parameters["rounds"]
    expected = "each variant is called warmup + rounds times" + (
        f": {told} + {rounds}" if case.public else ""
    )
    found = (
        f"{had} calls" if case.public else "more calls" if had > told + rounds else "fewer calls"
    )
    if had == rounds:
        cause = Mistakes.drops_rounds
    elif had > told + rounds and told == 0:
        cause = Mistakes.warm_up_not_told
    elif had < told + rounds:
        cause = "warmup is larger than the number of calls that were made before the rounds: count calls of this variant only."
    else:
        cause = Mistakes.two_calls
    return Finding(expected, found, cause, WARM_UP)


def not_interleaved(case: Case, order: list[int]) -> Finding:
    expected = "each variant has one turn in every round; after the last round nothing is called"
    changes = sum(one != other for one, other in pairwise(order))
    if changes <= 2 * len(case.parameters["variants"]):
        return Finding(
            expected,
            "all turns of one variant, then all turns of the next",
            Mistakes.block_sequential,
        )
    return Finding(
        expected, "a round in which a variant has no turn, or two", Mistakes.after_the_rounds
    )


def other_number(
    case: Case, key: str, found: float, taken: list[int], everything: list[int], slack: float
) -> Finding:
    low, _ = between(taken, SHARES[key])
    expected = f"{key} of the timed turns, by the clock that was given"
    expected += f": {low / 1e9:.6g} s" if case.public else ""
    text = f"{found / 1e9:.6g} s" if case.public else "another number"
    cause = _miscounted(key, found, taken, everything, slack)
    return Finding(expected, text, cause or _misread(key, found, taken, everything, slack), MEDIANS)


# 1.28 or 1.3 deviations.
ROUGHLY = 0.03


def _is_within(found: float, ends: tuple[float, float], slack: float, factor: float = 1.0) -> bool:
    return (ends[0] - slack) * factor <= found <= (ends[1] + slack) * factor


def _miscounted(
    key: str, found: float, taken: list[int], everything: list[int], slack: float
) -> Misconception | None:
    """The right statistic in another unit or of other turns, or the mean or the best in place of
    the median.
    """
    ends = between(taken, SHARES[key])
    for factor, unit in UNITS.items():
        if _is_within(found, ends, slack, factor):
            return Mistakes.milliseconds.told(unit=unit)
    if _is_within(found, between(everything, SHARES[key]), slack):
        return Mistakes.warm_up_counted
    of_all = {Mistakes.mean: statistics.fmean(taken), Mistakes.best_of: min(taken)}
    near = (cause for cause, value in of_all.items() if _is_within(found, (value, value), slack))
    return next(near, None) if key == "median" else None


def _misread(
    key: str, found: float, taken: list[int], everything: list[int], slack: float
) -> Misconception | str:
    """Another place among the sorted turns, or none of them."""
    others = (between(taken, share) for other, share in SHARES.items() if other != key)
    if any(_is_within(found, ends, slack) for ends in others):
        return f"It is another one of the three statistics: {key} has the wrong share, or the wrong name."
    if any(_is_within(found, between(taken, quarter), slack) for quarter in (0.25, 0.75)):
        return Mistakes.quartiles
    if found > max(everything) + slack:
        return Mistakes.start_once
    if key == "median":
        return "It is not a median of the readings around the last `rounds` calls of this variant."
    is_a_turn = any(abs(found - value) <= slack for value in taken)
    if is_a_turn:
        return Mistakes.unsorted_tail
    if _is_of_a_bell_curve(SHARES[key], found, taken, slack):
        return Mistakes.bell_curve
    return "Sort the last `rounds` times of the variant: one in ten is at most p10, one in ten at least p90."


def _is_of_a_bell_curve(share: float, found: float, taken: list[int], slack: float) -> bool:
    """Whether a mean or a median, and a standard deviation of either definition, lead there."""
    if len(taken) < 2:
        return False
    steps = statistics.NormalDist().inv_cdf(share)
    middles = statistics.fmean(taken), statistics.median(taken)
    deviations = statistics.stdev(taken), statistics.pstdev(taken)
    return any(
        abs(found - middle - steps * deviation) <= slack + ROUGHLY * deviation
        for middle in middles
        for deviation in deviations
    )


def nothing_to_compare() -> Finding:
    return Finding(
        "statistics of turns that the clock has timed",
        "no readings of the clock that belong to them",
        "See the rung before: the calls that count are not timed one by one.",
        INTERLEAVING,
    )


def cold(case: Case, name: str, count: int, left_out: list[int]) -> Finding:
    expected = "at most one timed turn in twenty while a variant is still getting faster"
    at = case.parameters["variants"].index(name)
    found = f"{count} of {case.parameters['rounds']} turns of {name!r}, of which {left_out[at]} calls were left out as warm-up"
    found = found if case.public else "more of them"
    if not any(left_out):
        cause = Mistakes.no_warm_up
    elif len(set(left_out)) == 1:
        cause = Mistakes.fixed_warm_up
    else:
        cause = Mistakes.early_stop
    return Finding(expected, found, cause, WARM_UP)


def wasteful(case: Case, left_out: list[int], needed: int, most: int) -> Finding:
    found = (
        f"{max(left_out)} calls left out; {needed} are warm-up, and {most} may be left out"
        if case.public
        else "far more calls left out"
    )
    if len(set(left_out)) == 1:
        cause = Mistakes.endless_warm_up
    else:
        cause = "The rule that ends the warm-up went on when the times no longer fell: it took noise, or an outlier, for warm-up."
    expected = "at most four times the calls that the slowest variant to warm up needs, plus 120"
    return Finding(expected, found, cause, WARM_UP)


def other_ratio() -> Finding:
    cause = (
        "The variants did not meet the same conditions: the machine gets slower while it is "
        "measured, so the last variant looks slower than it is."
    )
    return Finding(
        "ratios of medians within 5 % of the variants' true ratios",
        "another ratio",
        cause,
        INTERLEAVING,
    )

"""Findings of `benchmark`: what a broken rung looks like, and the mistake that most often stands behind it.

A finding on a hidden case gives no number and no name: what was called and returned is the student's choice, and could carry something out.
"""

from __future__ import annotations

import statistics
from itertools import pairwise

from autograder.contract import Case, Finding
from exercises.benchmark.ask import MAX_QUESTIONS, RETURNED
from exercises.benchmark.judge.evidence import SHARES, STATISTICS, Call, Run, between, is_number

PAGE = "lab-7-01/02-honest-benchmarks"
WARM_UP, INTERLEAVING, MEDIANS = (f"{PAGE}#{anchor}" for anchor in ("warm-up", "interleaving", "medians"))
UNITS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}
A_TURN = "a turn is: read the clock, call the variant once, read the clock"


def flooded() -> Finding:
    return Finding(
        f"fewer than {MAX_QUESTIONS} calls and readings of the clock",
        "so many that the machine stopped answering",
        "A loop waits for something that does not come: for the clock to reach a time without calling anything, or for two equal times.",
        WARM_UP,
    )


def no_report() -> Finding:
    return Finding("a dict with an entry for each variant", "no usable answer", "Something else wrote the answer.", MEDIANS)


def not_refused(case: Case, what: str, came: object) -> Finding:
    if came == RETURNED:
        text, cause = (
            "the function returns",
            "Nothing can be measured here, and a caller who gets an answer believes it. Look at the arguments first.",
        )
    else:
        text = f"it raises {came}" if case.public else "it raises another exception"
        cause = "The arguments are not looked at before they are used, and something further on breaks. Raise ValueError first."
    return Finding(f"ValueError for {what}", text, cause, MEDIANS)


def other_names(case: Case, missing: list[str]) -> Finding:
    found = f"no entry for {', '.join(missing)}" if missing and case.public else "entries are missing" if missing else "an entry too many"
    return Finding("an entry for each variant, under its name", found, "The result has the keys of `variants`, and only those.", MEDIANS)


def no_statistics(case: Case, entry: object) -> Finding:
    expected = "for each variant a dict with median, p10, p90 (finite numbers, seconds) and warmup (an int, 0 or more)"
    if not isinstance(entry, dict) or "type" in entry:
        found, cause = "an entry that is no dict", "Each variant's entry is a dict with four keys, not a single number or a list."
    elif missing := [key for key in (*STATISTICS, "warmup") if key not in entry]:
        found, cause = f"an entry without {', '.join(missing)}", "Each variant's entry has four keys, spelt as here."
    elif wrong := [key for key in STATISTICS if not is_number(entry[key])]:
        found, cause = f"{wrong[0]} is no finite number", "A statistic of an empty list is NaN: no timed turn was kept."
    else:
        found, cause = "warmup is no int of 0 or more", "warmup is how many calls were left out: a count, neither seconds nor True."
    return Finding(expected, found, cause, MEDIANS)


def out_of_order(entry: dict) -> Finding:
    expected = "p10 ≤ median ≤ p90"
    if entry["p10"] >= entry["median"] >= entry["p90"]:
        return Finding(expected, "p10 and p90 the wrong way round", "p10 is the time below which a tenth of the turns lie.", MEDIANS)
    cause = "A percentile is read off the times in ascending order. Taken from the list as it was measured, it is just some turn's time."
    return Finding(expected, "another order", cause, MEDIANS)


def never_called() -> Finding:
    cause = "A variant is a function: `variants[name]` names it, and `variants[name]()` runs it. What is returned was not measured."
    return Finding("every variant is called", "no variant is called", cause, INTERLEAVING)


def other_clock() -> Finding:
    cause = (
        "The times come from somewhere else: `time.perf_counter` shows this computer's time, not that of the machine that runs the "
        "variants. `clock` is an argument, so call `clock()`."
    )
    return Finding("the clock is read before and after every timed call", "the clock that was given is never read", cause, INTERLEAVING)


def left_out(case: Case) -> Finding:
    return Finding("every variant is called", "a variant is never called", "A variant's times are taken from another one.", INTERLEAVING)


def untimed(case: Case, run: Run, last: list[Call]) -> Finding:
    """Timed calls without a reading on either side: how the readings lie among the calls tells what was done."""
    expected = f"in the rounds {A_TURN}"
    if run.reads == 1:
        return Finding(
            expected, "the clock is read once", "`clock()` gives the time of that moment. A duration needs two readings.", INTERLEAVING
        )
    pairs = list(pairwise(last))
    unread = [(one, other) for one, other in pairs if other.place == one.place + 1]
    if unread and all(one.variant == other.variant for one, other in unread):
        found = "several calls of a variant between two readings"
        cause = (
            "The time of a whole loop, divided by its length, is a mean: one outlier moves it, and median, p10 and p90 are lost. Read the "
            "clock around every call."
        )
    elif unread:
        found = "two readings with calls of several variants between them"
        cause = "Such a time is that of all of them together. Read the clock before and after each variant's own call."
    else:
        found, cause = (
            "a timed call without a reading on both sides",
            "The last calls of each variant are its timed turns: after them comes nothing.",
        )
    return Finding(expected, found, cause, INTERLEAVING)


def other_count(case: Case, had: int, told: int) -> Finding:
    rounds = case.parameters["rounds"]
    expected = "each variant is called warmup + rounds times" + (f": {told} + {rounds}" if case.public else "")
    found = f"{had} calls" if case.public else "more calls" if had > told + rounds else "fewer calls"
    if had == rounds:
        cause = "Rounds are thrown away as warm-up, so that fewer than were asked for are left. Warm up first, then do all the rounds."
    elif had > told + rounds and told == 0:
        cause = "There were calls before the rounds, but warmup says that there were none. It counts them."
    elif had < told + rounds:
        cause = "warmup is larger than the number of calls that were made before the rounds: count calls of this variant only."
    else:
        cause = "There are calls that are neither in a round nor counted in warmup. In a round each variant is called once."
    return Finding(expected, found, cause, WARM_UP)


def not_interleaved(case: Case, order: list[int]) -> Finding:
    expected = "each variant has one turn in every round; after the last round nothing is called"
    changes = sum(one != other for one, other in pairwise(order))
    if changes <= 2 * len(case.parameters["variants"]):
        cause = (
            "One variant after the other: what slows the machine down meanwhile falls on one of them alone. Turn the two loops around: "
            "rounds outside, variants inside."
        )
        return Finding(expected, "all turns of one variant, then all turns of the next", cause, INTERLEAVING)
    cause = "The last calls do not make up whole rounds: a variant has two turns in a row somewhere, or is called after the rounds."
    return Finding(expected, "a round in which a variant has no turn, or two", cause, INTERLEAVING)


def other_number(case: Case, key: str, found: float, taken: list[int], everything: list[int], slack: float) -> Finding:
    low, high = between(taken, SHARES[key])
    expected = f"{key} of the timed turns, by the clock that was given" + (f": {low / 1e9:.6g} s" if case.public else "")
    text = f"{found / 1e9:.6g} s" if case.public else "another number"

    def is_within(low: float, high: float, factor: float = 1.0) -> bool:
        return (low - slack) * factor <= found <= (high + slack) * factor

    def is_value(value: float) -> bool:
        return is_within(value, value)

    if unit := next((unit for factor, unit in UNITS.items() if is_within(low, high, factor)), None):
        cause = f"It is in {unit}. The clock shows seconds, and the result is asked for in seconds."
    elif is_within(*between(everything, SHARES[key])):
        cause = (
            "It is that of all calls, the warm-up among them. What is left out must not be in the list that the statistics are taken of."
        )
    elif key == "median" and is_value(statistics.fmean(taken)):
        cause = "It is the mean. A single outlier moves it by as much as many ordinary turns; the median stays."
    elif key == "median" and is_value(min(taken)):
        cause = "It is the best time. It says what the machine can do once, not what a call takes."
    elif any(is_within(low, high) for low, high in (between(taken, share) for other, share in SHARES.items() if other != key)):
        cause = f"It is another one of the three statistics: {key} has the wrong share, or the wrong name."
    elif any(is_within(*between(taken, quarter)) for quarter in (0.25, 0.75)):
        cause = "It is a quartile: a quarter of the times lies beyond it, where p10 and p90 leave a tenth."
    elif found > max(everything) + slack:
        cause = "It is longer than any of the turns: their sum, or the time since a start that is not read anew before each call."
    elif key != "median" and any(abs(found - value) <= slack for value in taken):
        cause = "It is a turn's time, but not the one at that share of the sorted times: sort them, and check the share, 0.1 or 0.9."
    elif key != "median":
        cause = "A mean and a standard deviation give the percentiles of a bell curve. Times have a long tail: use the times themselves."
    else:
        cause = "It is not a median of the readings around the last `rounds` calls of this variant."
    return Finding(expected, text, cause, MEDIANS)


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
        cause = "No warm-up is left out. The first calls load, compile and fill caches: call each variant until its time no longer falls."
    elif len(set(left_out)) == 1:
        cause = (
            "Every variant gets the same number of calls, too few for one of them. How many are needed differs: go on until the times of "
            "one variant no longer fall."
        )
    else:
        cause = (
            "The warm-up ended too early: with noise, two single times look alike long before. Compare the medians of ten calls or more."
        )
    return Finding(expected, found, cause, WARM_UP)


def wasteful(case: Case, left_out: list[int], needed: int, most: int) -> Finding:
    found = (
        f"{max(left_out)} calls left out; {needed} are warm-up, and {most} may be left out" if case.public else "far more calls left out"
    )
    if len(set(left_out)) == 1:
        cause = (
            "Every variant gets the same number of calls. One that is large enough for every case is too large for most: look at the times."
        )
    else:
        cause = "The rule that ends the warm-up went on when the times no longer fell: it took noise, or an outlier, for warm-up."
    expected = "at most four times the calls that the slowest variant to warm up needs, plus 120"
    return Finding(expected, found, cause, WARM_UP)


def other_ratio() -> Finding:
    cause = "The variants did not meet the same conditions: the machine gets slower while it is measured, for whoever comes last."
    return Finding("ratios of medians within 5 % of the variants' true ratios", "another ratio", cause, INTERLEAVING)

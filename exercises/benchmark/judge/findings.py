"""Findings of `benchmark`: what a broken rung looks like, and the mistake that most often stands
behind it.

A finding on a hidden case gives no number and no name: what was called and returned is the
student's choice, and could carry something out.
"""

from __future__ import annotations

from itertools import pairwise

from formatlab_exercises.benchmark.ask import MAX_QUESTIONS, RETURNED
from formatlab_exercises.benchmark.judge.evidence import STATISTICS, Call, Run, is_number
from formatlab_exercises.benchmark.judge.misconceptions import Mistakes
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause

PAGE = "lab-7-01/02-honest-benchmarks"
WARM_UP, INTERLEAVING, MEDIANS = (
    f"{PAGE}#{anchor}" for anchor in ("warm-up", "interleaving", "medians")
)
NOT_FINITE = ("nan", "inf", "-inf")
A_TURN = "a turn is: read the clock, call the variant once, read the clock"


FLOODED = Finding(
    f"fewer than {MAX_QUESTIONS} calls and readings of the clock",
    "so many that the machine stopped answering",
    Mistakes.busy_wait,
)


NO_REPORT = Finding(
    "a dict with an entry for each variant",
    "no usable answer",
    "Something else wrote the answer.",
    MEDIANS,
)


def not_refused(case: Case, what: str, came: object) -> Finding:
    if came == RETURNED:
        text = "the function returns"
        cause = Mistakes.no_refusal
    elif came == "AssertionError":
        text, cause = "an assert fails", Mistakes.asserts
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


def no_statistics(entry: object) -> Finding:
    cause: Cause
    expected = "for each variant a dict with median, p10, p90 (finite numbers, seconds) and warmup (an int, 0 or more)"
    if not isinstance(entry, dict) or "type" in entry:
        found, cause = "an entry that is no dict", Mistakes.numbers_only
    elif missing := [key for key in (*STATISTICS, "warmup") if key not in entry]:
        found, cause = f"an entry without {', '.join(missing)}", Mistakes.no_count
    elif wrong := [key for key in STATISTICS if not is_number(entry[key])]:
        value = entry[wrong[0]]
        found = f"{wrong[0]} is no finite number"
        cause = "A statistic of an empty list is NaN: no timed turn was kept."
        if not isinstance(value, dict) or value.get("type") not in NOT_FINITE:
            cause = "Each statistic is one number: no text, no list, no array."
    else:
        found = "warmup is no int of 0 or more"
        cause = "warmup is how many calls were left out: a count, neither seconds nor True."
    return Finding(expected, found, cause, MEDIANS)


NEVER_CALLED = Finding("every variant is called", "no variant is called", Mistakes.never_calls)


OTHER_CLOCK = Finding(
    "the clock is read before and after every timed call",
    "the clock that was given is never read",
    Mistakes.perf_counter,
)


LEFT_OUT = Finding("every variant is called", "a variant is never called", Mistakes.last_variant)


def untimed(run: Run, last: list[Call]) -> Finding:
    """Timed calls without a reading on either side: how the readings lie among the calls tells what
    was done.
    """
    cause: Cause
    expected = f"in the rounds {A_TURN}"
    if run.reads == 1:
        return Finding(expected, "the clock is read once", Mistakes.clock_once)
    if run.ends_with_a_call and any(call.taken is not None for call in last):
        found = "calls after the last reading of the clock"
        return Finding(expected, found, Mistakes.calls_afterwards)
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


def other_count(case: Case, had: int, reported: int) -> Finding:
    rounds = case.parameters["rounds"]
    expected = "each variant is called warmup + rounds times" + (
        f": {reported} + {rounds}" if case.public else ""
    )
    found = (
        f"{had} calls"
        if case.public
        else "more calls"
        if had > reported + rounds
        else "fewer calls"
    )
    if had == rounds:
        cause = Mistakes.drops_rounds
    elif had > reported + rounds and reported == 0:
        cause = Mistakes.warm_up_not_told
    elif had == reported:
        cause = Mistakes.rounds_counted
    elif had < reported + rounds:
        cause = Mistakes.others_counted
    elif had > reported + 2 * rounds:
        cause = Mistakes.more_rounds
    else:
        cause = Mistakes.two_calls
    return Finding(expected, found, cause, WARM_UP)


def neither() -> Finding:
    expected = "a warm-up for each variant, and rounds in which each has one turn"
    found = "neither: all calls of one variant, then all calls of the next"
    return Finding(expected, found, Mistakes.neither)


def not_interleaved(case: Case, order: list[int]) -> Finding:
    expected = "each variant has one turn in every round; after the last round nothing is called"
    changes = sum(one != other for one, other in pairwise(order))
    if changes <= 2 * len(case.parameters["variants"]):
        return Finding(
            expected,
            "all turns of one variant, then all turns of the next",
            Mistakes.block_sequential,
        )
    pairs = [list(zip(order[start::2], order[start + 1 :: 2], strict=False)) for start in (0, 1)]
    if any(all(one == other for one, other in each) for each in pairs):
        return Finding(expected, "two calls of a variant in its turn", Mistakes.two_calls)
    return Finding(
        expected, "a round in which a variant has no turn, or two", Mistakes.after_the_rounds
    )


NOTHING_TO_COMPARE = Finding(
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
    elif len(left_out) > 1 and len(set(left_out)) == 1:
        cause = Mistakes.fixed_warm_up
    else:
        cause = Mistakes.early_stop
    return Finding(expected, found, cause, WARM_UP)


def wasteful(case: Case, left_out: list[int], needed: int, most: int) -> Finding:
    cause: Cause
    found = (
        f"{max(left_out)} calls left out; {needed} are warm-up, and {most} may be left out"
        if case.public
        else "far more calls left out"
    )
    if len(left_out) > 1 and len(set(left_out)) == 1:
        cause = Mistakes.endless_warm_up
    else:
        cause = "The rule that ends the warm-up went on when the times no longer fell: it took noise, or an outlier, for warm-up."
    expected = "at most four times the calls that the slowest variant to warm up needs, plus 120"
    return Finding(expected, found, cause, WARM_UP)

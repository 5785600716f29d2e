"""What the checker has of one case: what the student's function reported, and what the machine's
log says that it did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

import numpy as np

from formatlab_exercises.benchmark.ask import CLOCK, REPORT
from formatlab_exercises.benchmark.judge.machine import HUNG_UP, LOG
from nbjudge.contract import Answer, Case
from nbjudge.rungs import outcome

STATISTICS = ("median", "p10", "p90")
SHARES = {"p10": 0.1, "median": 0.5, "p90": 0.9}
# Parts so small that the percentiles and quartiles that are looked for lie between two of them.
PARTS = 20


@dataclass(frozen=True)
class Call:
    """One call of a variant. `taken` is in ns, from the clock's reading just before to the one just
    after; None where one is missing.
    """

    variant: int
    number: int
    place: int
    taken: int | None


@dataclass(frozen=True)
class Run:
    """`calls` in the order in which they were made, `reads` of the clock in all, whether the machine
    had to hang up, and whether no reading came after the last call.
    """

    calls: list[Call]
    reads: int
    hung_up: bool
    ends_with_a_call: bool

    def of(self, variant: int) -> list[Call]:
        return [call for call in self.calls if call.variant == variant]


def report(answer: Answer) -> dict | None:
    """What `Benchmark.call` wrote, or None when it is not that: the file comes from the student's
    process.
    """
    return outcome.report(answer, REPORT, result=dict, refusals=dict)


def result(answer: Answer) -> dict | None:
    """The reported statistics by name, if they are as the contract wants them: finite numbers, and
    a count.
    """
    found = report(answer)
    return found["result"] if found and all(map(is_statistics, found["result"].values())) else None


def is_statistics(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and all(is_number(entry.get(key)) for key in STATISTICS)
        and is_count(entry.get("warmup"))
    )


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def run(answer: Answer) -> Run:
    """The log, which the harness kept. Raises KeyError when there is none: that would be our fault."""
    events = np.frombuffer(answer.files[LOG], "<i8").reshape(-1, 2).tolist()
    calls: list[Call] = []
    counts: dict[int, int] = {}
    for place, (question, _) in enumerate(events):
        if question in (CLOCK, HUNG_UP):
            continue
        before = events[place - 1] if place else (HUNG_UP, 0)
        after = events[place + 1] if place + 1 < len(events) else (HUNG_UP, 0)
        taken = after[1] - before[1] if before[0] == after[0] == CLOCK else None
        number = counts.setdefault(question - 1, 0)
        counts[question - 1] += 1
        calls.append(Call(question - 1, number, place, taken))
    questions = [question for question, _ in events]
    last = questions[-1] if questions else HUNG_UP
    return Run(calls, questions.count(CLOCK), HUNG_UP in questions, last not in (CLOCK, HUNG_UP))


def timed(case: Case, answer: Answer) -> list[list[Call]]:
    """For each variant the calls that count: its last `rounds`, or, if there are not so many behind
    its `warmup`, those that there are.
    """
    found, reported, turns = run(answer), result(answer) or {}, []
    for variant, name in enumerate(case.parameters["variants"]):
        calls = found.of(variant)
        turns.append(
            calls[
                max(
                    len(calls) - case.parameters["rounds"], reported.get(name, {}).get("warmup", 0)
                ) :
            ]
        )
    return turns


def between(values: Sequence[float], share: float) -> tuple[float, float]:
    """The bounds of the percentile of `values` at `share`, whichever of its definitions is taken.

    They differ in how they go from one value to the next, but stay between the values number
    floor(share n) and ceil(share n) + 1, counted from 1. Python's own goes on beyond the ends of
    few values. The definitions of a median stay between the middle two; of an odd number, some that
    are made for percentiles take the one below the middle.
    """
    ordered, count = sorted(values), len(values)
    if share == 0.5:
        return ordered[max(count // 2 - 1, 0)], ordered[count // 2]
    # The product is rounded first, because 0.1 * 30 is a little more than 3.
    at = round(share * count, 9)
    low, high = ordered[max(math.floor(at) - 1, 0)], ordered[min(math.ceil(at), count - 1)]
    beyond = [quantiles(ordered, n=PARTS)[round(share * PARTS) - 1]] if count > 1 else []
    return min([low, *beyond]), max([high, *beyond])

"""`benchmark`: measure variants against each other on a machine that warms up, heats up, is disturbed, and shows its own clock.

1. Each variant is called until it is warm; those calls are left out and counted.
2. Then come exactly `rounds` rounds. In each, every variant has one turn, in any order: the clock, one call, the clock.
3. Median, 10th and 90th percentile are those of the timed turns, in seconds.

The machine is a server outside the box (`machine`), so that what was called and when is known, and nothing else counts.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, Server, WrongType
from autograder.exercises.benchmark import cases, rungs, subject
from autograder.exercises.benchmark.machine import CLOCK, MAX_QUESTIONS, Machine
from autograder.rungs import outcome

SIGNATURE = "benchmark(variants, clock, rounds) -> dict[str, dict]"
MAX_ENTRIES = 100


class MachineHungUp(RuntimeError):
    """The case's machine answers no more."""


class Benchmark(Exercise):
    id: ClassVar[str] = cases.ID
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "benchmark"
    grade_id: ClassVar[str] = "check-benchmark"
    functions: ClassVar[Mapping[str, str]] = {"benchmark": SIGNATURE}
    minutes: ClassVar[int] = 35
    # Weights: numbers that no measurement stands behind keep type and contract only, 15 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, rungs.INTERLEAVING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.2, rungs.is_dict, cap_all=0.0),
        RungSpec("contract", 0.4, rungs.keeps_contract),
        RungSpec("structure", 1.2, rungs.takes_turns, cap_some=0.4, cap_all=0.4),
        RungSpec("numerics", 1.2, rungs.agrees_with_clock, cap_all=0.3),
        RungSpec("quality", 1.0, rungs.is_warm),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def server(self, case: Case) -> Server:
        return Machine(case)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        """`report.json`: the `result`, and what came of the `refusals`, if the case asks for them. Raises WrongType."""

        def clock() -> float:
            return _asked(case, CLOCK) / 1e9

        variants = {name: partial(_call, case, at + 1) for at, name in enumerate(case.parameters["variants"])}
        result = _result(functions["benchmark"](variants, clock, case.parameters["rounds"]))
        refusals = _refusals(functions["benchmark"], case.parameters["variants"]) if case.parameters["refuses"] else {}
        return {subject.REPORT: json.dumps({"result": result, "refusals": refusals}).encode()}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """How often the reference called each variant. The truth is the machine's, so that nothing else is needed."""
        calls = subject.run(answer).calls
        return {"calls": np.bincount([call.variant for call in calls], minlength=len(case.parameters["variants"])).astype(np.int64)}


def _asked(case: Case, question: int) -> int:
    reply = case.ask(question)
    if reply is None:
        raise MachineHungUp(f"the machine answers no more: {MAX_QUESTIONS} calls and readings of the clock are all that a case has")
    return reply


def _call(case: Case, question: int) -> None:
    _asked(case, question)


def _refusals(benchmark: Callable, names: list[str]) -> dict[str, str]:
    """What the function does where nothing can be measured: on a clock of its own, so that the machine's log stays that of the case."""
    came = {}
    for what, rounds in subject.REFUSALS.items():
        variants = dict.fromkeys(names, int) if rounds < 1 else {}
        try:
            benchmark(variants, partial(next, itertools.count(0.0, 0.001)), rounds)
        except ValueError:
            came[what] = "ValueError"
        except Exception as error:
            came[what] = type(error).__name__
        else:
            came[what] = subject.RETURNED
    return came


def _result(found: object) -> dict:
    if not isinstance(found, Mapping):
        raise WrongType("a dict", type(found).__name__)
    return {_name(name): _entry(entry) for name, entry in list(found.items())[:MAX_ENTRIES]}


def _entry(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return _value(entry)
    return {_name(key): _value(value) for key, value in list(entry.items())[:MAX_ENTRIES]}


def _name(key: object) -> str:
    return key[:100] if isinstance(key, str) else f"({type(key).__name__})"


def _value(value: object) -> object:
    """A number as JSON can have it; of anything else the type, or, as text, what is not finite."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if type(value) is int and abs(value) < 1 << 63:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"type": str(value)}
    return {"type": type(value).__name__}


EXERCISE = Benchmark()

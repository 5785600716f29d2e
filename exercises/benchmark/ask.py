"""`benchmark`: measure variants against each other on a machine that warms up, heats up, is
disturbed, and shows its own clock.

1. Each variant is called until it is warm; those calls are left out and counted.
2. Then come exactly `rounds` rounds. In each, every variant has one turn, in any order: the clock,
   one call, the clock.
3. Median, 10th and 90th percentile are those of the timed turns, in seconds.

The machine is a server outside the box (`machine`), so that what was called and when is known, and
nothing else counts.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "benchmark(variants, clock, rounds) -> dict[str, dict]"
REPORT = "report.json"
# Questions to the machine: the clock, and, from 1 on, a call of each variant. It answers so many.
CLOCK = 0
MAX_QUESTIONS = 10_000
# What cannot be measured, and, in a report, that it was.
REFUSALS = {"rounds = 0": 0, "rounds = -2": -2, "no variants": 3}
RETURNED = "it returns"
MAX_ENTRIES = 100


class MachineHungUp(RuntimeError):
    """The case's machine answers no more."""


class Benchmark(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 60
    needs = ("variants", "rounds", "refuses")

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`report.json`: the `result`, and what came of the `refusals`, if the case asks for them.
        Raises WrongType.
        """

        def clock() -> float:
            return _asked(case, CLOCK) / 1e9

        variants = {
            name: partial(_call, case, at + 1)
            for at, name in enumerate(case.parameters["variants"])
        }
        result = _result(functions["benchmark"](variants, clock, case.parameters["rounds"]))
        refusals = (
            _refusals(functions["benchmark"], case.parameters["variants"])
            if case.parameters["refuses"]
            else {}
        )
        return {REPORT: json.dumps({"result": result, "refusals": refusals}).encode()}


def _asked(case: Case, question: int) -> int:
    if case.ask is None:
        raise LookupError("the case has no machine to ask: its judge names no server")
    reply = case.ask(question)
    if reply is None:
        raise MachineHungUp(
            f"the machine answers no more: {MAX_QUESTIONS} calls and readings of the clock are all that a case has"
        )
    return reply


def _call(case: Case, question: int) -> None:
    _asked(case, question)


def _refusals(benchmark: Callable, names: list[str]) -> dict[str, str]:
    """What the function does where nothing can be measured: on a clock of its own, so that the
    machine's log stays that of the case.
    """
    came = {}
    for what, rounds in REFUSALS.items():
        variants = dict.fromkeys(names, int) if rounds < 1 else {}
        try:
            benchmark(variants, partial(next, itertools.count(0.0, 0.001)), rounds)
        except ValueError:
            came[what] = "ValueError"
        except Exception as error:
            came[what] = type(error).__name__
        else:
            came[what] = RETURNED
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

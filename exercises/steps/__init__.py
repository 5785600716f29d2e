"""Steps: exercises of a few lines inside a reading notebook, checked on the spot and never graded.

They are declared in a Python file beside the notebook, which imports `step` from it. A step shows
the ladder of the labs and returns a function that works: the reader's as soon as it is right, the
stored answer until then. So the page runs from top to bottom either way. A misconception is
declared as the wrong answer that it leads to: who gives the same results is told its cause.
"""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, printer

from nbjudge import display
from nbjudge.verdict import Rung, Verdict

SHOWN = 300
# Of two ways to compute the same number in float32 or float64, the last digits may differ.
ROUNDING = 1e-4
A_SET = "You return a set, which has no order and holds nothing twice. Return a list."
TWICE = "Your list holds something twice, which a set does not. Return a set."
NOTHING = "Your function returns nothing: `return` is missing, or one of its paths ends without it."
CHANGES = "The caller goes on with what it passed, so its values have to stay. Work on a copy, or make a new value."
GOES_ON = "The page goes on with the stored answer until yours is right."


@dataclass(frozen=True)
class Slip:
    """A wrong answer that readers give, and what they are told."""

    answer: Callable
    cause: str


@dataclass(frozen=True)
class Step:
    """One step. Each case makes fresh arguments; `observe` turns arguments and result of a call
    into what is compared.

    `call` is what calls the function; a step whose function is exported replaces it. A function
    that `edits` changes its arguments, and every other one has to leave them as they are.
    """

    section: str
    answer: Callable
    cases: Mapping[str, Callable[[], tuple]]
    slips: tuple[Slip, ...] = ()
    observe: Callable[[tuple, Any], Any] = lambda arguments, result: plain(result)
    call: Callable[..., Any] = lambda function, *arguments: function(*arguments)
    edits: bool = False


@dataclass(frozen=True)
class Raised:
    """What is compared of a call that raised. `line` is where in the function that was called."""

    name: str
    text: str = ""
    line: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Raised) and other.name == self.name

    def __repr__(self) -> str:
        said = f"{self.name}: {self.text}".rstrip(": ")
        return f"{said}, raised by `{self.line}`" if self.line else said


@dataclass(frozen=True)
class Seen:
    """What one call shows: its result, and which of its arguments are changed afterwards."""

    result: Any
    changed: tuple[str, ...] = ()


class Unordered(list):
    """What is compared of a set: its elements, sorted. Where a set is right, a list of the same
    elements is right too. Where a list is asked for, a set has lost the order.
    """

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"


# What an answer raises that looks for something and finds nothing, each in its own way of looking.
FINDS_NOTHING = ("IndexError", "KeyError", "StopIteration")


class Steps:
    """The steps of one notebook; calling it checks one of them."""

    def __init__(self, page: str, **steps: Step):
        self.page, self.steps = page, steps

    def __call__(self, name: str, function: Callable) -> Callable:
        """Show how far `function` comes. Returns it if it is right, and the stored answer if not."""
        if name not in self.steps:
            raise LookupError(f"this page has no step {name!r}; it has {', '.join(self.steps)}")
        verdict = self.verdict(name, function)
        if verdict.broken is None:
            display.show(verdict, "")
            return function
        if verdict.broken.name == "exists":
            print(f"{name}: not written yet. {GOES_ON}")
        else:
            display.show(verdict, f"Change your function and run the cell again. {GOES_ON}")
        return self.steps[name].answer

    def verdict(self, name: str, function: Callable) -> Verdict:
        """The ladder of `function`, as plain data."""
        step = self.steps[name]
        seen = {case: _call(step, function, make()) for case, make in step.cases.items()}
        found = {case: one.result for case, one in seen.items()}
        expected = _results(step, step.answer)
        missing = callable(function) and all(
            result == Raised("NotImplementedError") for result in found.values()
        )
        read = f"{self.page}#{step.section}"
        rungs = [Rung("exists", callable(function) and not missing)]
        for rung, right in (("type", _same_kind), ("result", _equal)):
            rungs.append(
                _rung(rung, right, step, found=found, expected=expected, read=read)
                if rungs[-1].passed
                else Rung(rung, None)
            )
        if not step.edits:
            rungs.append(_untouched(seen, read) if rungs[-1].passed else Rung("arguments", None))
        return Verdict(name, 0, 0, tuple(rungs))


def plain(value: Any) -> Any:
    """The value as data to compare and print: nodes as text, arrays and sequences as lists."""
    if isinstance(value, (ModelProto, GraphProto)):
        return printer.to_text(value)
    if isinstance(value, NodeProto):
        return f"{value.op_type}({', '.join(value.input)}) -> {', '.join(value.output)}"
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if hasattr(value, "tolist"):  # of NumPy or of torch
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return Unordered(sorted(map(plain, value), key=repr))
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not value.is_integer():
        return float(f"{value:.5g}")
    return value


def _results(step: Step, function: Callable) -> dict[str, Any]:
    return {case: _call(step, function, make()).result for case, make in step.cases.items()}


def _call(step: Step, function: Callable, arguments: tuple) -> Seen:
    before = _values(arguments)
    try:
        result = step.call(function, *arguments)
        changed = [
            name
            for name, old, new in zip(
                inspect.signature(step.answer).parameters, before, _values(arguments), strict=False
            )
            if not _equal(new, old)
        ]
        return Seen(step.observe(arguments, result), tuple(changed))
    except Exception as error:
        text = " ".join(str(error).split())[:160]
        line = "" if function is step.answer else _line_of(error, function)
        return Seen(Raised(type(error).__name__, text, line))


# Those whose values can be told before and after a call. Others, for example a module, a step
# observes itself if they matter.
VALUES = (list, dict, set, np.ndarray, GraphProto, ModelProto)


def _values(arguments: tuple) -> list:
    return [plain(value) if isinstance(value, VALUES) else None for value in arguments]


def _line_of(error: Exception, function: Callable) -> str:
    """The line of the reader's function that raised, and no line of what it called."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.line for frame in frames if code and frame.filename == code.co_filename]
    return own[-1] or "" if own else ""


def _equal(found: Any, expected: Any) -> bool:
    """Whether both hold the same, where numbers that are not whole may differ by rounding."""
    if isinstance(expected, Unordered) and isinstance(found, list):
        found = Unordered(sorted(found, key=repr))
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(_equal, found, expected))
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            _equal(found[key], expected[key]) for key in expected
        )
    if isinstance(found, float) and isinstance(expected, (int, float)):
        is_whole = found.is_integer() and float(expected).is_integer()
        is_close = math.isclose(found, expected, rel_tol=ROUNDING, abs_tol=1e-16)
        both_nan = math.isnan(found) and math.isnan(expected)
        return both_nan or (found == expected if is_whole else is_close)
    return found == expected


def _same_kind(found: Any, expected: Any) -> bool:
    numbers = (int, float)
    return (
        type(found) is type(expected)
        or (isinstance(found, numbers) and isinstance(expected, numbers))
        or (isinstance(found, list) and isinstance(expected, Unordered))
    )


def _rung(
    name: str, right: Callable, step: Step, *, found: dict, expected: dict, read: str
) -> Rung:
    wrong = [case for case in found if not right(found[case], expected[case])]
    if not wrong:
        return Rung(name, True, cases=len(found))
    first = wrong[0]
    return Rung(
        name,
        False,
        case=first,
        expected=repr(expected[first])[:SHOWN],
        found=repr(found[first])[:SHOWN],
        cause=_cause(step, found, first, expected),
        read=read,
        cases=len(found),
        wrong=len(wrong),
    )


def _untouched(seen: dict[str, Seen], read: str) -> Rung:
    wrong = [case for case, one in seen.items() if one.changed]
    if not wrong:
        return Rung("arguments", True, cases=len(seen))
    names = ", ".join(f"`{name}`" for name in seen[wrong[0]].changed)
    return Rung(
        "arguments",
        False,
        case=wrong[0],
        expected=f"{names} as before the call",
        found="your function has changed it",
        cause=CHANGES,
        read=read,
        cases=len(seen),
        wrong=len(wrong),
    )


def _cause(step: Step, found: dict, first: str, expected: dict) -> str:
    """The cause of the slip with the same results in every case. An answer may have two faults, so
    else that of the slip which the case that is shown tells from the others: it gives the same
    result there, and is wrong in the fewest other cases.
    """
    slips = [(slip.cause, _results(step, slip.answer)) for slip in step.slips]
    alike = [cause for cause, seen in slips if _equal(seen, found)]
    there = [
        (cause, seen)
        for cause, seen in slips
        if _alike(seen[first], found[first]) and not _equal(seen[first], expected[first])
    ]
    there.sort(key=lambda slip: sum(not _equal(slip[1][case], expected[case]) for case in expected))
    if isinstance(found[first], Unordered) and type(expected[first]) is list:
        there.append((A_SET, found))
    if isinstance(expected[first], Unordered) and type(found[first]) is list:
        unique = Unordered(one for one in expected[first] if one in found[first])
        if unique == expected[first] and all(one in unique for one in found[first]):
            there.append((TWICE, found))
    if found[first] is None:
        there.append((NOTHING, found))
    return next(iter(alike or [cause for cause, _ in there]), "")


def _alike(seen: Any, found: Any) -> bool:
    """Whether two wrong answers give the same, or both look for something and find nothing: one
    with `next`, another one with `[0]`.
    """
    if isinstance(seen, Raised) and isinstance(found, Raised) and seen.name in FINDS_NOTHING:
        return found.name in FINDS_NOTHING
    return _equal(seen, found)

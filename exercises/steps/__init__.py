"""Steps: exercises of a few lines inside a reading notebook, checked on the spot and never graded.

They are declared in a Python file beside the notebook, which imports `step` from it. A step shows
the ladder of the labs and returns a function that works: the reader's as soon as it is right, the
stored answer until then. So the page runs from top to bottom either way. A misconception is
declared as the wrong answer that it leads to: who gives the same results is told its cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, printer

from nbjudge import checking
from nbjudge.verdict import Rung, Verdict

SHOWN = 300
A_SET = "You return a set, which has no order and holds nothing twice. Return a list."
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

    `call` is what calls the function; a step whose function is exported replaces it.
    """

    section: str
    answer: Callable
    cases: Mapping[str, Callable[[], tuple]]
    slips: tuple[Slip, ...] = ()
    observe: Callable[[tuple, Any], Any] = lambda arguments, result: plain(result)
    call: Callable[..., Any] = lambda function, *arguments: function(*arguments)


@dataclass(frozen=True)
class Raised:
    """What is compared of a call that raised."""

    name: str
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Raised) and other.name == self.name

    def __repr__(self) -> str:
        return f"{self.name}: {self.text}".rstrip(": ")


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
            checking.show(verdict, "")
            return function
        if verdict.broken.name == "exists":
            print(f"{name}: not written yet. {GOES_ON}")
        else:
            checking.show(verdict, f"Change your function and run the cell again. {GOES_ON}")
        return self.steps[name].answer

    def verdict(self, name: str, function: Callable) -> Verdict:
        """The ladder of `function`, as plain data."""
        step = self.steps[name]
        found, expected = _seen(step, function), _seen(step, step.answer)
        missing = callable(function) and all(
            seen == Raised("NotImplementedError") for seen in found.values()
        )
        rungs = [Rung("exists", 0, callable(function) and not missing)]
        for rung, right in (("type", _same_kind), ("result", _equal)):
            reached = rungs[-1].passed
            read = f"{self.page}#{step.section}"
            rungs.append(
                _rung(rung, right, step, found=found, expected=expected, read=read)
                if reached
                else Rung(rung, 0, None)
            )
        return Verdict(name, 0, 0, tuple(rungs))


def plain(value: Any) -> Any:
    """The value as data to compare and print: nodes as text, arrays and sequences as lists."""
    if isinstance(value, (ModelProto, GraphProto)):
        return printer.to_text(value)
    if isinstance(value, NodeProto):
        return f"{value.op_type}({', '.join(value.input)}) -> {', '.join(value.output)}"
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return Unordered(sorted(map(plain, value), key=repr))
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _seen(step: Step, function: Callable) -> dict[str, Any]:
    return {case: _observed(step, function, make()) for case, make in step.cases.items()}


def _observed(step: Step, function: Callable, arguments: tuple) -> Any:
    try:
        return step.observe(arguments, step.call(function, *arguments))
    except Exception as error:
        return Raised(type(error).__name__, " ".join(str(error).split())[:160])


def _equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, Unordered) and isinstance(found, list):
        return sorted(found, key=repr) == expected
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
        return Rung(name, 0, True, cases=len(found))
    first = wrong[0]
    return Rung(
        name,
        0,
        False,
        case=first,
        expected=repr(expected[first])[:SHOWN],
        found=repr(found[first])[:SHOWN],
        cause=_cause(step, found, first, expected),
        read=read,
        cases=len(found),
        wrong=len(wrong),
    )


def _cause(step: Step, found: dict, first: str, expected: dict) -> str:
    """The cause of the slip with the same results in every case. An answer may have two faults, so
    else that of the slip which the case that is shown tells from the others: it gives the same
    result there, and is wrong in the fewest other cases.
    """
    slips = [(slip.cause, _seen(step, slip.answer)) for slip in step.slips]
    alike = [cause for cause, seen in slips if seen == found]
    there = [(cause, seen) for cause, seen in slips if _alike(seen[first], found[first])]
    there.sort(key=lambda slip: sum(slip[1][case] != expected[case] for case in expected))
    if isinstance(found[first], Unordered) and type(expected[first]) is list:
        there.append((A_SET, found))
    return next(iter(alike or [cause for cause, _ in there]), "")


def _alike(seen: Any, found: Any) -> bool:
    """Whether two wrong answers give the same, or both look for something and find nothing: one
    with `next`, another one with `[0]`.
    """
    if isinstance(seen, Raised) and isinstance(found, Raised) and seen.name in FINDS_NOTHING:
        return found.name in FINDS_NOTHING
    return seen == found

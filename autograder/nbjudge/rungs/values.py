"""What judges share whose exercise returns plain values: cases made of arguments, and a rung that
compares the values.

A judge names its public cases and draws its hidden ones:

    class WindowsJudge(ValueJudge):
        public = {"whole": [12, 4], "rest": [13, 4]}

        def drawn(self, rng):
            return {"long": [int(rng.integers(50, 99)), 3]}
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from nbjudge.contract import Answer, Case, Inspect, Judge, View, case_seed
from nbjudge.findings import Finding, Misconception, explained
from nbjudge.rungs import outcome
from nbjudge.values import ANSWER
from nbjudge.wire import MAX_ANSWER, WireError, safe_json

Arguments = Mapping[str, Sequence[object]]
DIFFERENT = "The function computes something else. Follow it by hand on a case that you can check, and see where the two differ."


class ValueJudge(Judge):
    """`public` and `drawn` give the arguments of each case by its name."""

    public: ClassVar[Arguments]

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> Arguments:
        """The hidden cases: the same names for every seed, other arguments."""

    def public_cases(self) -> list[Case]:
        return [
            Case(name, {}, {"arguments": _listed(name, given)}, public=True)
            for name, given in self.public.items()
        ]

    def cases(self, seed: int) -> list[Case]:
        number = case_seed(seed, type(self).__module__, "drawn")
        drawn = self.drawn(np.random.default_rng(number))
        return [
            Case(name, {}, {"arguments": _listed(name, given)}, seed=number)
            for name, given in drawn.items()
        ]

    def digest(self, _case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"answer": np.frombuffer(answer.files[ANSWER], np.uint8)}


def _listed(name: str, given: object) -> list[Any]:
    """Raises TypeError."""
    if not isinstance(given, list | tuple):
        kind = type(given).__name__
        raise TypeError(f"the case {name!r} has {kind} as its arguments, and needs a list of them")
    return list(given)


def arguments(view: View) -> list[Any]:
    """What the function was called with."""
    given: list[Any] = view.case.parameters["arguments"]
    return given


def wanted(view: View) -> object:
    """What the solution returns."""
    return safe_json(view.reference["answer"].tobytes())


def given(view: View) -> object:
    """What the student's function returned; None where it cannot be read: its box may lie."""
    try:
        return safe_json(view.answer.files.get(ANSWER, b""), max_bytes=MAX_ANSWER)
    except WireError:
        return None


def returns(kind: type, read: str) -> Inspect:
    """Breaks when the function does not return a value of that type: a bool is no int, and an int
    is no float.
    """
    answered = outcome.returns(f"a value of type {kind.__name__}", read)

    def returns_the_type(view: View) -> Finding | None:
        if (
            (finding := answered(view))
            or view.answer.outcome != "returned"
            or type(given(view)) is kind
        ):
            return finding
        found = type(given(view)).__name__
        return Finding(
            f"a value of type {kind.__name__}",
            f"one of type {found}",
            "Another thing is returned than was asked for.",
            read,
        )

    returns_the_type.__name__ = f"returns_type_{kind.__name__}"  # the rung's title
    return returns_the_type


def equals(misconceptions: Sequence[Misconception], read: str) -> Inspect:
    """Breaks when the value is not the solution's, with the first misconception that shows."""

    def is_right(view: View) -> Finding | None:
        if given(view) == wanted(view):
            return None
        # Of a hidden case nothing more is told.
        expected = "the right value"
        found = "another value"
        if view.case.public:
            expected = f"{wanted(view)!r} for {', '.join(map(repr, arguments(view)))}"
            found = repr(given(view))
        finding = explained(expected, found, [*misconceptions, DIFFERENT], view)
        return replace(finding, read=finding.read or read)

    return is_right

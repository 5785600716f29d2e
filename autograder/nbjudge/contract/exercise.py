"""The half of an exercise that asks, through which the harness reaches the other one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from nbjudge import given
from nbjudge.contract.authored import AuthoredServer, ExerciseBroken, authored, defined
from nbjudge.contract.cases import Answer, Case, Reference, Server, unfit
from nbjudge.contract.defence import Defence
from nbjudge.contract.items import ItemSpec, malformed, misplaced
from nbjudge.contract.judge import Judge, JudgeAbsent
from nbjudge.contract.rungs import RungSpec, View

if TYPE_CHECKING:  # numpy is much to import for what only carries bytes
    import numpy as np

Judged = TypeVar("Judged")
# What the student wrote, by name.
Functions = Mapping[str, Callable[..., Any]]


def by_name(*signatures: str) -> dict[str, str]:
    """Signatures, such as `describe(model, directory=None) -> dict`, by the names of their
    functions.
    """
    return {signature.partition("(")[0]: signature for signature in signatures}


class Exercise(ABC):
    """One exercise: what it asks for, and how it is called. `functions` maps each function that the
    student writes to its signature.

    Its id is the name of its folder. Its `judge` is loaded when it is first needed, and never
    beside student code.
    """

    functions: ClassVar[Mapping[str, str]]
    minutes: ClassVar[int]
    # The parameters of a case that `call` looks at, which cross into the box with the student's
    # code; None for all of them.
    needs: ClassVar[tuple[str, ...] | None] = None
    # The files of a case that do not cross into that box.
    withholds: ClassVar[frozenset[str]] = frozenset()

    def prepare(self) -> None:  # noqa: B027
        """What may be done once for several kernels, before any student code is there: import what
        its calls need, and work out what a library works out once. Threads may not be started, nor
        files be held.
        """

    @abstractmethod
    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """Call the student's functions on one case and serialise what they return. Raises
        WrongType.
        """

    @property
    def id(self) -> str:
        return self._package.rpartition(".")[2]

    @property
    def grade_id(self) -> str:
        """The name of the test cell that calls `check` on it."""
        return f"check-{self.id.replace('_', '-')}"

    @property
    def judge(self) -> Judge:
        """Raises JudgeAbsent where the judging half is not mounted."""
        marks = f"{self._package}.judge.marks"
        try:
            judge: Judge = defined(marks, "JUDGE")
            return judge
        except ModuleNotFoundError as error:
            if error.name not in (marks, f"{self._package}.judge"):
                raise
            raise JudgeAbsent(
                f"what judges {self.id} is not here: a box in which student code runs does not hold it"
            ) from None

    @property
    def defence(self) -> Defence | None:
        """What students can be asked about their own code; None where the exercise has nothing."""
        name = f"{self._package}.defend"
        try:
            defence: Defence = defined(name, "DEFENCE")
            return defence
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            return None

    @property
    def _package(self) -> str:
        return type(self).__module__.rpartition(".")[0]

    @property
    def rungs(self) -> tuple[RungSpec, ...]:
        """Raises ExerciseBroken when two have one name."""
        judge = self.judge
        with authored():
            rungs = judge.rungs
        if twice := _twice(rung.name for rung in rungs):
            raise ExerciseBroken(f"{self._folder}: two rungs are called {twice!r}")
        return rungs

    @property
    def items(self) -> tuple[ItemSpec, ...]:
        """Raises ExerciseBroken when they do not add up, or name what there is not."""
        judge = self.judge
        with authored():
            items = tuple(judge.items)
            points = judge.points
        if problem := malformed(items, points, self.rungs):
            raise ExerciseBroken(f"{self._folder}: {problem}")
        return items

    def refuse_misplaced(self, seed: int) -> None:
        """Raises ExerciseBroken when an item and the cases of a draw do not fit: an item without a
        hidden case, a case without an item, a case that gives points twice for the same.
        """
        if problem := misplaced(self.items, self.public_cases(), self.cases(seed)):
            raise ExerciseBroken(f"{self._folder}: {problem}")

    @property
    def points(self) -> float:
        return round(math.fsum(item.points for item in self.items), 6)

    def public_cases(self) -> list[Case]:
        """The judge's; in a box with student code, where there is no judge, those that the box was
        given.
        """
        if not given.armed():
            return self._drawn(self.judge.public_cases)
        return [
            Case(frame.header["name"], frame.files, frame.header["parameters"], public=True)
            for frame in given.frames(self.id)
        ]

    def cases(self, seed: int) -> list[Case]:
        return self._drawn(self.judge.cases, seed)

    def view(self, case: Case, answer: Answer, reference: Reference) -> View:
        return self._judged(self.judge.view, case, answer, reference)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return self._judged(self.judge.digest, case, answer)

    def observe(self, case: Case, answer: Answer) -> Answer:
        return self._judged(self.judge.observe, case, answer)

    def changes(self, view: View) -> tuple[str, ...]:
        """Raises ExerciseBroken."""
        with authored(f"case {view.case.name}", self._folder):
            return tuple(self.judge.changes(view))

    def server(self, case: Case) -> Server | None:
        server = self._judged(self.judge.server, case)
        return server and AuthoredServer(server, case.name)

    def function_of(self, case: Case) -> str:
        return self._judged(self.judge.function_of, case)

    def pretrained_cases(self, seed: int) -> list[Case]:
        return self._drawn(self.judge.pretrained_cases, seed)

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return self._drawn(self.judge.graded_cases, seed, pretrained)

    def _judged(self, judges: Callable[..., Judged], case: Case, *given: object) -> Judged:
        """What the judge says of a case. Raises ExerciseBroken."""
        with authored(f"case {case.name}", self._folder):
            return judges(case, *given)

    def _drawn(self, draw: Callable[..., list[Case]], *given: object) -> list[Case]:
        """Cases that the judge makes. Raises ExerciseBroken, also for those that could not cross
        into a box.
        """
        with authored(home=self._folder):
            cases = draw(*given)
        problem = next(filter(None, map(unfit, cases)), "")
        if not problem and (twice := _twice(case.name for case in cases)):
            problem = f"two cases are called {twice!r}: a case is known by its name"
        if problem:
            raise ExerciseBroken(f"{self._folder}: {problem}")
        return cases

    @property
    def _folder(self) -> str:
        return self._package.replace(".", "/")


def _twice(names: Iterable[str]) -> str:
    """The first of the names that comes twice, or nothing."""
    return next((name for name, count in Counter(names).items() if count > 1), "")

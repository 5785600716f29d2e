"""The contract that every exercise keeps: what it asks (`Exercise`) and how it judges (`Judge`).

An exercise passes through three processes. The judge's `cases` run in the coordinator, the
exercise's `call` in the runner box beside the student's code, the judge's `digest` and rungs in a
checker box. Only bytes pass between them, so every type here is bytes, JSON or numpy arrays. An
exercise `shapes` is the folder `exercises/shapes`:

    ask.py                    what is asked: `EXERCISE`, its functions and `call`; other modules
                              beside it make a case's arguments
    judge/marks.py            `JUDGE`: the rungs in their order, with points and caps
    judge/rungs.py            what each rung looks at
    judge/misconceptions.py   what students get wrong, and the words that they read
    judge/cases.py            the cases; case_models.py and other case_*.py make what they hold
    answers/                  stored answers, right and wrong, with the marks that they must get;
                              only the tests see them
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np

from autograder import given
from autograder.findings import Finding


class WrongType(TypeError):
    """The student's function returned something else than the exercise asks for. The text says what
    was expected and found.
    """

    def __init__(self, expected: str, found: str):
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, found


@dataclass(frozen=True)
class Case:
    """One named input. `seed` and `name` stay on the trusted side; files and parameters cross into
    the runner box.

    `ask`, where the case is called, puts one question to the case's `Server`.
    """

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    public: bool = False
    seed: int = 0
    ask: Callable[[int], int | None] | None = field(default=None, compare=False, repr=False)


class Server(ABC):
    """What a case's functions ask while they run. It stands outside the runner box, knows the
    case's seed, and keeps a log.

    Questions and replies are integers, so that nothing else can pass between student code and the
    trusted side.
    """

    @abstractmethod
    def reply(self, question: int) -> int | None:
        """A number of 64 bits, or None: there is no such question, or no more of them are answered."""

    @abstractmethod
    def log(self) -> dict[str, bytes]:
        """What was asked, as files of the answer. They replace files of the same names that the box
        sent.
        """


@dataclass(frozen=True)
class Answer:
    """What came back for one case.

    `outcome` is `returned`, `missing` (no such function, or still the stub), `raised`,
    `wrong_type`, `timeout`, `killed` (the process died) or `too_large`. `error` explains the
    others: for `raised` the exception's type and text, for `wrong_type` what was expected and
    found. `files` are the bytes that `Exercise.call` returned.
    """

    outcome: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)


Reference = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class View:
    """What a rung looks at: a case, the answer to it, and what was kept of the reference's. A judge
    may add what it reads of them.
    """

    case: Case
    answer: Answer
    reference: Reference


Inspect = Callable[[View], Finding | None]


@dataclass(frozen=True)
class RungSpec:
    """A rung of an exercise: its points, and the caps (shares of the exercise's points) when it
    breaks on some or on all cases.

    `inspect` looks at one case. Its name, in words, is the rung's title unless another is given:
    `same_shapes` is "same shapes". A case that breaks a `gate` has nothing left for the later rungs
    to look at.

    With `every_case` it looks at every answer that came back, also where an earlier rung broke: for
    what must never happen. With a `slip`, wrong cases cost that many times their share of the
    rung's points; without one the first wrong case costs them all. Where it has a slip, `cap_all`
    holds as soon as more than half of the cases are wrong.
    With a `function` it looks only at the cases that call it (`Judge.function_of`), so that each of
    several functions earns its own points.
    """

    name: str
    points: float
    inspect: Inspect
    cap_some: float | None = None
    cap_all: float | None = None
    every_case: bool = False
    slip: float = 0.0
    gate: bool = False
    title: str = ""
    function: str = ""

    def __post_init__(self):
        if not self.title:
            object.__setattr__(
                self,
                "title",
                getattr(self.inspect, "__name__", self.name).strip("_<>").replace("_", " "),
            )


class JudgeAbsent(RuntimeError):
    """The half of an exercise that judges is not here: this is the box in which student code runs,
    which does not mount it.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"JudgeAbsent: {self}"]


class Judge(ABC):
    """The half of an exercise that judges: its cases, what a checker keeps of the reference, its
    rungs with their points and caps.

    It holds what would be an answer, or would tell which case is which, so it lies in a folder of
    its own, `exercises/<id>/judge`, which the box with student code does not mount. In a student's
    own JupyterLab it is there: the local check needs it.
    """

    rungs: ClassVar[tuple[RungSpec, ...]]
    # Whether answers are things to be loaded and run (`observe`) before the rungs look at them.
    observes: ClassVar[bool] = False

    def public_cases(self) -> list[Case]:
        """The cases that ship with the lab: seed 0, `public=True`. Those of `judge/cases.py`."""
        return self._cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        """The hidden cases, deterministic in `seed`, of `judge/cases.py`. The public ones are
        graded too; `graded_cases` joins them.
        """
        return self._cases.cases(seed)

    @property
    def _cases(self) -> ModuleType:
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.cases")

    @abstractmethod
    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What a checker needs of the reference answer: never the answer itself where its outputs
        do.
        """

    def view(self, case: Case, answer: Answer, reference: Reference) -> View:
        """What all rungs look at, made once for each case."""
        return View(case, answer, reference)

    def observe(self, case: Case, answer: Answer) -> Answer:
        """What the answer does, for one that is a thing to be run. It happens in a box that holds
        neither student code nor references.
        """
        return answer

    def server(self, case: Case) -> Server | None:
        """A fresh server for a case whose functions ask for something that must not be in the box
        with them.
        """
        return None

    def function_of(self, case: Case) -> str:
        """The function that the case calls, where it calls one of several; empty where it calls
        all.
        """
        return ""

    def pretrained_cases(self, seed: int) -> list[Case]:
        """Cases with published weights: far larger, so graded only on request
        (`course grade --pretrained`).
        """
        return []

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return [
            *self.public_cases(),
            *self.cases(seed),
            *(self.pretrained_cases(seed) if pretrained else []),
        ]

    def calling_order(self, cases: Sequence[Case]) -> list[Case]:
        """The order in which the cases are called: that of their seeds, so that a case's place does
        not tell which one it is.
        """
        return sorted(
            cases,
            key=lambda case: hashlib.sha256(f"order/{case.seed}/{case.name}".encode()).digest(),
        )


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

    @abstractmethod
    def call(
        self, functions: Mapping[str, Callable], case: Case, scratch: Path
    ) -> dict[str, bytes]:
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
            return import_module(marks).JUDGE
        except ModuleNotFoundError as error:
            if error.name not in (marks, f"{self._package}.judge"):
                raise
            raise JudgeAbsent(
                f"what judges {self.id} is not here: a box in which student code runs does not hold it"
            ) from None

    @property
    def _package(self) -> str:
        return type(self).__module__.rpartition(".")[0]

    @property
    def rungs(self) -> tuple[RungSpec, ...]:
        return self.judge.rungs

    @property
    def points(self) -> float:
        return float(sum(rung.points for rung in self.rungs))

    def public_cases(self) -> list[Case]:
        """The judge's; in a box with student code, where there is no judge, those that the box was
        given.
        """
        if not given.armed():
            return self.judge.public_cases()
        return [
            Case(frame.header["name"], frame.blobs, frame.header["parameters"], public=True)
            for frame in given.frames(self.id)
        ]

    def cases(self, seed: int) -> list[Case]:
        return self.judge.cases(seed)

    def view(self, case: Case, answer: Answer, reference: Reference) -> View:
        return self.judge.view(case, answer, reference)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return self.judge.digest(case, answer)

    def server(self, case: Case) -> Server | None:
        return self.judge.server(case)

    def function_of(self, case: Case) -> str:
        return self.judge.function_of(case)

    def pretrained_cases(self, seed: int) -> list[Case]:
        return self.judge.pretrained_cases(seed)

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return self.judge.graded_cases(seed, pretrained)


def case_seed(seed: int, exercise: str, case: str) -> int:
    """A case's own 63-bit seed: SHA-256 of the grading seed, the exercise and the case's name."""
    digest = hashlib.sha256(f"{seed}/{exercise}/{case}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1

"""The contract that every exercise keeps: its cases, how it is called, what is checked of the answer.

An exercise passes through three processes. `cases` run in the coordinator, `call` in the runner box beside the student's code,
`digest` and the rungs in a checker box. Only bytes pass between them, so every type here is bytes, JSON or numpy arrays.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np


class WrongType(TypeError):
    """The student's function returned something else than the exercise asks for. The text says what was expected and found."""

    def __init__(self, expected: str, found: str):
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, found


@dataclass(frozen=True)
class Case:
    """One named input. `seed` stays on the trusted side; name, files and parameters cross into the runner box.

    `ask`, where the case is called, puts one question to the case's `Server`.
    """

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    parameters: Mapping[str, object] = field(default_factory=dict)
    public: bool = False
    seed: int = 0
    ask: Callable[[int], int | None] | None = field(default=None, compare=False, repr=False)


class Server(ABC):
    """What a case's functions ask while they run. It stands outside the runner box, knows the case's seed, and keeps a log.

    Questions and replies are integers, so that nothing else can pass between student code and the trusted side.
    """

    @abstractmethod
    def reply(self, question: int) -> int | None:
        """A number of 64 bits, or None: there is no such question, or no more of them are answered."""

    @abstractmethod
    def log(self) -> dict[str, bytes]:
        """What was asked, as files of the answer. They replace files of the same names that the box sent."""


@dataclass(frozen=True)
class Answer:
    """What came back for one case.

    `outcome` is `returned`, `missing` (no such function, or still the stub), `raised`, `wrong_type`, `timeout`, `killed` (the process
    died) or `too_large`. `error` explains the others: for `raised` the exception's type and text, for `wrong_type` what was expected and
    found. `files` are the bytes that `Exercise.call` returned.
    """

    outcome: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """Why a rung broke, in the words that the student reads."""

    expected: str
    found: str
    cause: str
    read: str


Reference = Mapping[str, np.ndarray]
Inspect = Callable[[Case, Answer, Reference], Finding | None]


@dataclass(frozen=True)
class RungSpec:
    """A rung of an exercise: its points, and the caps (shares of the exercise's points) when it breaks on some or on all cases.

    With `every_case` it looks at every answer that came back, also where an earlier rung broke: for what must never happen.
    With a `slip`, wrong cases cost that many times their share of the rung's points; without one the first wrong case costs them all.
    """

    name: str
    points: float
    inspect: Inspect
    cap_some: float | None = None
    cap_all: float | None = None
    every_case: bool = False
    slip: float = 0.0


class Exercise(ABC):
    """One exercise. `functions` maps each function that the student writes to its signature, as the lab prints it."""

    id: ClassVar[str]
    assignment: ClassVar[str]
    notebook: ClassVar[str]
    grade_id: ClassVar[str]
    functions: ClassVar[Mapping[str, str]]
    minutes: ClassVar[int]
    rungs: ClassVar[tuple[RungSpec, ...]]

    @property
    def points(self) -> float:
        return float(sum(rung.points for rung in self.rungs))

    @abstractmethod
    def public_cases(self) -> list[Case]:
        """The cases that ship with the lab: seed 0, `public=True`."""

    @abstractmethod
    def cases(self, seed: int) -> list[Case]:
        """The hidden cases, deterministic in `seed`. The public ones are graded too; `graded_cases` joins them."""

    @abstractmethod
    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        """Call the student's functions on one case and serialise what they return. Raises WrongType."""

    @abstractmethod
    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What a checker needs of the reference answer: never the answer itself where its outputs do."""

    def server(self, case: Case) -> Server | None:
        """A fresh server for a case whose functions ask for something that must not be in the box with them."""
        return None

    def pretrained_cases(self, seed: int) -> list[Case]:
        """Cases with published weights: far larger, so graded only on request (`course grade --pretrained`)."""
        return []

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return [*self.public_cases(), *self.cases(seed), *(self.pretrained_cases(seed) if pretrained else [])]


def case_seed(seed: int, exercise: str, case: str) -> int:
    """A case's own 63-bit seed: SHA-256 of the grading seed, the exercise and the case's name."""
    digest = hashlib.sha256(f"{seed}/{exercise}/{case}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1

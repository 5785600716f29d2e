"""A case, what comes back for it, and what it may ask while it is called."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # numpy is much to import for what only carries bytes
    import numpy as np


class WrongType(TypeError):
    """The student's function returned something else than the exercise asks for. The text says what
    was expected and found.
    """

    def __init__(self, expected: str, found: str):
        super().__init__(f"expected {expected}, found {found}")
        self.expected = expected
        self.found = found


@dataclass(frozen=True)
class Case:
    """One named input. `seed` and `name` stay on the trusted side; files and parameters cross into
    the runner box.

    `ask`, where the case is called, puts one question to the case's `Server`.
    """

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    public: bool = False
    seed: int = 0
    ask: Callable[[int], int | None] | None = field(default=None, compare=False, repr=False)


def unfit(case: Case) -> str:
    """Why a case cannot be told to another process; empty when it can."""
    what = f"the case {case.name!r}"
    for name, data in case.files.items():
        if not isinstance(data, bytes | bytearray | memoryview):
            return f"{what} has a {type(data).__name__} as its file {name!r}, and only bytes cross into a box"
    for name, value in case.parameters.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            return f"{what} has a parameter {name!r} that is no plain JSON: {error}"
    return ""


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


OUTCOMES = frozenset(
    {"returned", "missing", "raised", "wrong_type", "timeout", "killed", "too_large", "unchecked"}
)
# What is kept of an answer's error.
LONGEST_KEY = 40
LONGEST_TEXT = 2000
MOST_TEXTS = 8


@dataclass(frozen=True)
class Answer:
    """What came back for one case.

    `outcome` is `returned`, `missing` (no such function, or still the stub), `raised`,
    `wrong_type`, `timeout`, `killed` (the process died), `too_large` or `unchecked` (the checker did
    not survive it). `error` explains the others: for `raised` the exception's type and text, for `wrong_type` what was expected and
    found. `files` are the bytes that `Exercise.call` returned.
    """

    outcome: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, header: Mapping[str, object], files: Mapping[str, bytes]) -> Answer | None:
        """Return the answer that a frame's header and files say, or None if its outcome is none that
        there is. Whoever wrote the frame may have been a student's code: of the error, a few short
        texts are kept.
        """
        outcome = header.get("outcome")
        said = header.get("error")
        if not isinstance(outcome, str) or outcome not in OUTCOMES:
            return None
        texts = (
            [(k, v) for k, v in said.items() if isinstance(v, str)]
            if isinstance(said, dict)
            else []
        )
        error = {str(key)[:LONGEST_KEY]: text[:LONGEST_TEXT] for key, text in texts[:MOST_TEXTS]}
        return cls(outcome, files, error)


Reference = Mapping[str, "np.ndarray"]


def case_seed(seed: int, exercise: str, case: str) -> int:
    """A case's own 63-bit seed: SHA-256 of the grading seed, the exercise and the case's name."""
    digest = hashlib.sha256(f"{seed}/{exercise}/{case}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1

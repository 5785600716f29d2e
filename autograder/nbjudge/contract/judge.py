"""The half of an exercise that judges."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Generic, cast

from nbjudge.contract.authored import imported
from nbjudge.contract.cases import Answer, Case, Reference, Server
from nbjudge.contract.items import ItemSpec
from nbjudge.contract.rungs import RungSpec, View, Viewed

if TYPE_CHECKING:  # numpy is much to import for what only carries bytes
    import numpy as np


class JudgeAbsent(RuntimeError):
    """The half of an exercise that judges is not here: this is the box in which student code runs,
    which does not mount it.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"JudgeAbsent: {self}"]


class Judge(ABC, Generic[Viewed]):
    """The half of an exercise that judges: its cases, what a checker keeps of the reference, its
    rungs, and the items that give its points.

    It holds what would be an answer, or would tell which case is which, so it lies in a folder of
    its own, `exercises/<id>/judge`, which the box with student code does not mount. In a student's
    own JupyterLab it is there: the local check needs it.
    """

    rungs: tuple[RungSpec[Viewed], ...]
    # What the exercise gives points for, and how many these are together.
    items: ClassVar[tuple[ItemSpec, ...]] = ()
    points: ClassVar[float] = 0.0
    # Whether answers are things to be loaded and run (`observe`) before the rungs look at them.
    observes: ClassVar[bool] = False

    def public_cases(self) -> list[Case]:
        """The cases that ship with the lab: seed 0, `public=True`. Those of `judge/cases.py`."""
        return list(self._cases.public_cases())

    def cases(self, seed: int) -> list[Case]:
        """The hidden cases, deterministic in `seed`, of `judge/cases.py`. The public ones are
        graded too; `graded_cases` joins them.
        """
        return list(self._cases.cases(seed))

    @property
    def _cases(self) -> ModuleType:
        return imported(f"{type(self).__module__.rpartition('.')[0]}.cases")

    @abstractmethod
    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What a checker needs of the reference answer: never the answer itself where its outputs
        do.
        """

    def view(self, case: Case, answer: Answer, reference: Reference) -> Viewed:
        """What all rungs look at, made once for each case. A judge with a view of its own, a
        `Judge[MyView]`, makes it here.
        """
        return cast("Viewed", View(case, answer, reference))

    def observe(self, case: Case, answer: Answer) -> Answer:
        """What the answer does, for one that is a thing to be run. It happens in a box that holds
        neither student code nor references.
        """
        return answer

    def changes(self, view: Viewed) -> Sequence[str]:
        """What the answer changed of what the case gave it, in sentences that a student reads below
        the first broken rung. Asked for a public case alone; empty where nothing is to be said.
        """
        return ()

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
        """By their seeds, so that a case's place in the calls does not tell which one it is."""
        return sorted(
            cases,
            key=lambda case: hashlib.sha256(f"order/{case.seed}/{case.name}".encode()).digest(),
        )

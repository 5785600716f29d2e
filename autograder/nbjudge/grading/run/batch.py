"""One grading run: what is the same for every submission, and what is being graded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

from traitlets.config import Config

from nbjudge import boxes
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.errors import Refused
from nbjudge.grading.config.folders import Course
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.gradebook import record
from nbjudge.grading.intake import intake
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks import own_results
from nbjudge.grading.published.asked_exercises import in_notebooks
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.reference.references import Prepared
from nbjudge.grading.reuse.journal import Journal
from nbjudge.grading.reuse.keys import KeyMaker, Keys
from nbjudge.grading.reuse.reused import Reused
from nbjudge.grading.run.request import GradingRequest, Report
from nbjudge.grading.store.case_hashes import ExerciseHashes
from nbjudge.grading.submission import canary
from nbjudge.grading.submission.task import Task


class Sandbox:
    """Whether boxes hold on this machine, tried when a run needs its first one; for many threads."""

    def __init__(self, hidden: Path):
        self._hidden = hidden
        self._lock = Lock()
        self._holds = False

    def prove(self) -> None:
        """Raises Refused unless they do."""
        with self._lock:
            if self._holds:
                return
            try:
                boxes.require_sandbox(self._hidden)
            except boxes.SandboxUnavailable as error:
                raise Refused(f"no grading without a sandbox: {error}") from None
            self._holds = True


@dataclass(kw_only=True)
class Run:
    """One grading run: what is the same for every submission.

    `prepare` makes every exercise ready, or raises Refused; a run with nothing new never calls it.
    """

    course: Course
    request: GradingRequest
    skeleton: Skeleton
    stored: Mapping[str, Skeleton]
    exercise_hashes: Mapping[str, ExerciseHashes]
    prepare: Callable[[], Mapping[str, Prepared]]
    students: Sequence[str]
    seed: int
    jobs: int
    sandbox: Sandbox
    report: Report
    is_proved: bool = False

    @cached_property
    def journal(self) -> Journal:
        return Journal(self.course, self.request.assignment)

    @cached_property
    def recorder(self) -> record.Recorder:
        return record.Recorder(
            self.course,
            self.request.assignment,
            self.request.config,
            self.skeleton.files if self.is_plain else {},
        )

    @cached_property
    def in_gradebook(self) -> set[str]:
        """Students whose submissions the gradebook holds, with the notebooks that were recorded:
        both may have been lost since.
        """
        return record.recorded_students(self.course, self.request.assignment)

    @cached_property
    def keys(self) -> KeyMaker:
        request = self.request
        return KeyMaker(
            self.skeleton,
            self.stored,
            self.exercise_hashes,
            seed=self.seed,
            budget=self.budget,
            pretrained=request.pretrained,
            changeable=self._changeable,
        )

    @cached_property
    def pending(self) -> dict[str, Pending]:
        """By student, what is being graded."""
        return {}

    @cached_property
    def _of_nobody(self) -> Task:
        """What every submission's task has in common."""
        return Task(
            submission=Submission(""),
            skeletons={version: one.notebooks for version, one in self.stored.items()},
            tests={version: one.tests() for version, one in self.stored.items()},
            rubrics={version: one.rubrics() for version, one in self.stored.items()},
            current=self.skeleton.version,
            exercises=self.prepare(),
            files=self.skeleton.files,
            changeable=self._changeable,
            budget=self.budget,
            numbers=self._numbers,
        )

    @property
    def _numbers(self) -> Mapping[str, tuple[str, ...]]:
        """Raises Refused."""
        try:
            return own_results.numbers(self.skeleton, self.budget)
        except Fault as error:
            raise Refused(f"your own solution could not be run: {error}") from None

    @property
    def budget(self) -> Budget:
        """The request's, which the course's settings have completed. Raises TypeError before that."""
        budget = self.request.budget
        if not isinstance(budget, Budget):
            raise TypeError("the budget is not yet complete")
        return budget

    @cached_property
    def is_plain(self) -> bool:
        """Whether files beside the notebooks matter: no exercise of ours asks for any."""
        return not in_notebooks(self.skeleton.notebooks)

    def take(self, student: str) -> Submission:
        return intake.take(
            self.request.submitted or self.course.submitted,
            student,
            self.request.assignment,
            with_files=self.is_plain,
            expected=tuple(self.skeleton.notebooks),
        )

    @property
    def _changeable(self) -> tuple[str, ...]:
        """Published files that students may hand in changed: nbgrader's own setting."""
        autograde = (self.request.config or Config()).get("Autograde", {})
        named = dict(autograde.get("exclude_overwriting", {}))
        return tuple(named.get(self.request.assignment, ()))

    def task(self, submission: Submission) -> Task:
        return replace(self._of_nobody, submission=submission)

    def prove(self) -> None:
        """Before a submission is graded: that boxes hold, and that grading works here. Raises
        Refused.

        Both at once: what the canary sends is the instructor's own.
        """
        if self.is_proved:
            return
        with ThreadPoolExecutor(1, "walls") as pool:
            walls = pool.submit(self.sandbox.prove)
            try:
                self._send_canary()
            except Exception:
                walls.result()  # without walls no canary lives: then that is what to say
                raise
            walls.result()
        self.is_proved = True

    def _send_canary(self) -> None:
        try:
            canary.prove(
                self.task(Submission("canary")), self.skeleton.solutions, self.skeleton.edition
            )
        except canary.CanaryDied as error:
            raise Refused(
                f"nothing was graded, because grading does not work here: {error}"
            ) from None


@dataclass(kw_only=True)
class Pending:
    """A submission that is being graded: its keys, what it takes over from the last run, the
    automatic score of that run, and the notebook that it is at.
    """

    keys: Keys
    reused: Reused
    score_before: float | None = None
    notebook: str = ""

    def begin(self, notebook: str) -> None:
        self.notebook = notebook

    def looks(self, since: float) -> tuple[float, str]:
        return time.monotonic() - since, self.notebook

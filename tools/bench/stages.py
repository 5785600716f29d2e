"""Where the processor time of a perfect submission goes, by notebook: cells, cases, harness,
checks.

The student's own work is what runs between the frames that begin and end a cell, or a case. The
rest of the runner's box is the harness: its interpreter, the libraries that its template imports,
kernels. What a box has used is read from /proc, in hundredths of a second; that of a box that ended
with its job, from what the system says of processes that have been waited for. Notebooks are read
in the coordinator, and their time is taken there.
"""

from __future__ import annotations

import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nbjudge.boxes import box, system
from nbjudge.grading.config.folders import Course
from nbjudge.grading.execution.sandboxes import CHECKER
from nbjudge.grading.notebook import parser
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import engine

STAGES = ("cells", "cases", "harness", "checks", "reading")


@dataclass(frozen=True)
class Stages:
    """Processor seconds of one submission: by notebook and stage, and those of the coordinator."""

    score: float
    max_score: float
    notebooks: dict[str, dict[str, float]]
    coordinator: float

    @property
    def together(self) -> dict[str, float]:
        return {stage: sum(each[stage] for each in self.notebooks.values()) for stage in STAGES}

    @property
    def overhead(self) -> float:
        """All that is not the student's own work, divided by that work."""
        own = self.together["cells"] + self.together["cases"]
        return (sum(self.together.values()) - own + self.coordinator) / max(own, 0.01)


def measured(course: Course, assignment: str) -> Stages:
    """Return where the time of the course's first submission goes."""
    request = coordinator.GradingRequest(assignment, seed=50, jobs=1)
    run = coordinator._run(
        course, coordinator._with_settings(course, request), lambda event, count, result: None
    )
    task = run.task(run.take(run.students[0]))
    meter = Meter()
    with meter.reading():
        began = time.process_time()
        result = engine.grade(task, meter.begin)
        own = time.process_time() - began
    notebooks = {
        name: {stage: seconds[stage] for stage in STAGES} for name, seconds in meter.spent.items()
    }
    return Stages(result.score, result.max_score, notebooks, own - meter.own)


class Meter:
    """What the notebooks of one submission use; `begin` is told the name of each before its turn."""

    def __init__(self) -> None:
        self._notebook = ""
        self.spent: dict[str, Counter[str]] = defaultdict(Counter)
        self.own = 0.0  # what looking itself has cost, and reading
        self._used: dict[int, float] = {}  # by a box's process 1, when its last job ended

    def begin(self, notebook: str) -> None:
        self._notebook = notebook

    @contextmanager
    def reading(self) -> Iterator[None]:
        real, real_read = box._Box.follow, parser.read_notebook

        def read(*told):
            began = time.thread_time()
            try:
                return real_read(*told)
            finally:
                took = time.thread_time() - began
                self.spent[self._notebook]["reading"] += took
                self.own += took  # which is not the coordinator's either

        def follow(one, limits, on_frame, *told):
            job = _Job(one._first, self._used.get(one._first, 0.0))
            hear = on_frame and (lambda frame: (job.take(frame), on_frame(frame)))
            try:
                return real(one, limits, hear, *told)
            finally:
                self._used[one._first] = job.over()
                self._count(one._module, job)

        box._Box.follow, parser.read_notebook = follow, read
        try:
            yield
        finally:
            box._Box.follow, parser.read_notebook = real, real_read

    def _count(self, module: str, job: _Job) -> None:
        self.own += job.own
        spent = self.spent[self._notebook]
        if module == CHECKER:
            spent["checks"] += job.total
        else:
            spent.update(
                {
                    "cells": job.cells,
                    "cases": job.cases,
                    "harness": job.total - job.cells - job.cases,
                }
            )


class _Job:
    """One job of a box whose process 1 is `first`."""

    def __init__(self, first: int, before: float):
        self._first, self._before, self._now = first, before, before
        self._waited_for = _waited_for()
        self._cell = self._case = 0.0
        self._is_test = False
        self.cells = self.cases = self.own = 0.0

    def take(self, frame) -> None:
        now = self._look()
        if frame.kind == "started":
            self._cell, self._is_test = now, False
        elif frame.kind == "cell" and not self._is_test:
            self.cells += now - self._cell
        elif frame.kind == "calling":
            self._case, self._is_test = now, True
        elif frame.kind == "answer":
            self.cases += now - self._case

    def over(self) -> float:
        if not Path(f"/proc/{self._first}").exists():  # what has been waited for is its whole life
            self._now = max(self._now, _waited_for() - self._waited_for)
        return self._look()

    @property
    def total(self) -> float:
        return self._now - self._before

    def _look(self) -> float:
        began = time.thread_time()
        self._now = max(self._now, used(self._first))
        self.own += time.thread_time() - began
        return self._now


def used(first: int) -> float:
    """Seconds that a box has used: those of its processes, and of those that its process 1 has seen
    end.
    """
    while True:  # one that ends in between would count as a process and as one that has ended
        dead = system.cpu_seconds_of_ended(first)
        total = dead + sum(map(system.cpu_seconds, system.members(first)))
        if system.cpu_seconds_of_ended(first) == dead:
            return total


def _waited_for() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime

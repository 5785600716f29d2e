"""The canary: before a class is graded, the instructor's own solution must get full marks, the
whole way, and the released stub none.

It goes through the boxes that students' notebooks go through, with the exercise whose public cases
are smallest; an assignment without exercises, of plain test cells, sends one that is built in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from autograder.grading import engine
from autograder.grading.intake import Submission
from autograder.grading.references import Prepared
from autograder.grading.results import UNGRADED, SubmissionResult
from autograder.grading.skeletons import Notebook
from autograder.grading.task import Task

_PLAIN = "canary"
_proved: set[str] = set()


class CanaryDied(RuntimeError):
    """The way from notebook to mark does not work: nothing may be graded. The text says where it
    ended.
    """


def prove(task: Task, solutions: Mapping[str, Notebook], edition: str) -> None:
    """Grade a perfect and an untouched notebook as `task` would, once a process and edition. Raises
    CanaryDied.
    """
    if edition in _proved:
        return
    shorn, cell, solved, stub = _sent(task, solutions)
    name = cell.partition("/")[0]
    with ThreadPoolExecutor(2) as pool:
        perfect, empty = pool.map(lambda notebook: _grade(shorn, name, notebook), (solved, stub))
    _require(perfect, cell, 1.0, f"the instructor's solution of {name}")
    _require(empty, cell, 0.0, f"the released stub of {name}")
    _proved.add(edition)


def _sent(task: Task, solutions: Mapping[str, Notebook]) -> tuple[Task, str, Notebook, Notebook]:
    """The task that is graded, its one cell, and what is handed in: a solution, and a stub."""
    chosen = min(task.exercises.values(), key=_size, default=None)
    if chosen is None:
        return _plain_task(task), f"{_PLAIN}/test", _plain("x * x"), _plain("0")
    name, released = chosen.notebook, task.skeletons[task.current]
    return _shorn(task, chosen), f"{name}/{chosen.grade_id}", solutions[name], released[name]


def _require(result: SubmissionResult, cell: str, share: float, who: str) -> None:
    """Raises CanaryDied unless the cell got that share of its points."""
    if result.status == UNGRADED:
        raise CanaryDied(f"{who} could not be graded: {result.reason}")
    if result.waiting:
        raise CanaryDied(
            f"the time of a submission is over before {who} is graded: allow more, for example with --budget submission=1800"
        )
    mark = result.cells[cell]
    wanted = share * mark.max_score
    if mark.score != wanted:
        why = f" ({mark.rung}: {mark.found})" if mark.rung else ""
        raise CanaryDied(
            f"{who} gets {mark.score:g} of {mark.max_score:g} points, and must get {wanted:g}{why}"
        )


def _grade(task: Task, name: str, notebook: Notebook) -> SubmissionResult:
    return engine.grade(
        replace(task, submission=Submission("canary", {name: json.dumps(notebook).encode()}))
    )


def _size(prepared: Prepared) -> tuple[bool, int, str]:
    """Smallest first; an exercise without files makes its inputs in the box, which is slow."""
    size = sum(len(data) for case in prepared.cases if case.public for data in case.files.values())
    return size == 0, size, prepared.exercise


def _shorn(task: Task, chosen: Prepared) -> Task:
    """The task with one notebook, one exercise and its public cases."""
    cases = tuple(case for case in chosen.cases if case.public) or chosen.cases
    references = {case.name: chosen.references[case.name] for case in cases}
    # The whole way, for the stub too.
    own = replace(chosen, cases=cases, references=references, untouched=None)
    skeletons = {task.current: {chosen.notebook: task.skeletons[task.current][chosen.notebook]}}
    return replace(task, skeletons=skeletons, exercises={chosen.exercise: own})


def _plain_task(task: Task) -> Task:
    return replace(
        task,
        skeletons={task.current: {_PLAIN: _plain("0")}},
        tests={task.current: {}},
        rubrics={task.current: {}},
    )


def _plain(expression: str) -> Notebook:
    answer = {"grade_id": "square", "grade": False, "solution": True, "locked": False}
    test = {"grade_id": "test", "grade": True, "solution": False, "locked": True, "points": 1}
    sources = (
        (answer, f"def square(x):\n    return {expression}"),
        (test, "assert square(3) == 9"),
    )
    blank = {"cell_type": "code", "outputs": [], "execution_count": None}
    cells = [
        {**blank, "id": meta["grade_id"], "metadata": {"nbgrader": meta}, "source": source}
        for meta, source in ((each | {"task": False}, source) for each, source in sources)
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}

"""The canary: before a class is graded, what is known goes the whole way that students' notebooks
go, through the same boxes, and must get the marks that it deserves.

1. Of the exercise whose public cases are smallest, on its hidden ones too, the instructor's own solution must get full marks
   and the released stub none. For an assignment without exercises, a right and a wrong answer that
   are built in stand in for these.
2. Each plain test must give the instructor's own solution all of its points: nobody could get more.
   What its stub gets is the instructor's to decide, and was said when it was released.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from nbjudge import wire
from nbjudge.grading.document.cells import Notebook, is_code, is_solution, is_test, known_metadata
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.marks import plain_tests as plain
from nbjudge.grading.marks.results import UNGRADED, SubmissionResult
from nbjudge.grading.published.asked_exercises import behind
from nbjudge.grading.reference.references import Prepared
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task

_PLAIN = "canary"
_MEND = (
    "; nobody could get more: type `course release`, which names the line that fails, mend the test or the solution, "
    "and type `course release` and `course publish`"
)
_proved: set[str] = set()


class CanaryDied(RuntimeError):
    """The way from notebook to mark does not work: nothing may be graded. The text says where it
    ended.
    """


def prove(task: Task, solutions: Mapping[str, Notebook], edition: str) -> None:
    """Grade a perfect and an untouched notebook, and the solutions of plain notebooks, as `task`
    would, once a process and edition. Raises CanaryDied.
    """
    if edition in _proved:
        return
    shorn, cell, solved, stub = _sent(task, solutions)
    name = cell.partition("/")[0]
    with ThreadPoolExecutor(3) as pool:
        own = pool.submit(require_own_tests, task, solutions)
        perfect, empty = pool.map(lambda notebook: _grade(shorn, {name: notebook}), (solved, stub))
        _require(perfect, cell, 1.0, f"the instructor's solution of {name}")
        _require(empty, cell, 0.0, f"the released stub of {name}")
        own.result()
    _proved.add(edition)


def require_own_tests(task: Task, solutions: Mapping[str, Notebook]) -> None:
    """Raises CanaryDied unless each plain test of a notebook without exercises gives its own
    solution all of its points, and each of the others is run where its outcome is kept.
    """
    for name, notebook in task.skeleton.items():
        hidden = {"cells": [notebook["cells"][place] for place in behind(notebook)]}
        known = {each.grade_id for each in task.exercises.values()}
        if unseen := [test for test in plain_tests(hidden) if test not in known]:
            raise CanaryDied(
                f"{name} has the plain test {unseen[0]} behind the test of an exercise, where nothing is kept of what cells do, so "
                "everybody would earn it: move it above that test, then type `course release` and `course publish`"
            )
    with_exercises = {each.notebook for each in task.exercises.values()}
    own = {
        name: released
        for name, released in task.skeleton.items()
        if name not in with_exercises and plain_tests(released)
    }
    if not own:
        return
    answered = {name: _answered(released, solutions[name]) for name, released in own.items()}
    result = _grade(replace(task, skeletons={task.current: own}, exercises={}), answered)
    for name, released in own.items():
        for grade_id in plain_tests(released):
            _require(result, f"{name}/{grade_id}", 1.0, f"your own solution of {name}", _MEND)


def plain_tests(notebook: Notebook) -> list[str]:
    """The names of the code cells that are tests."""
    return [
        known_metadata(cell)["grade_id"]
        for cell in notebook["cells"]
        if is_code(cell) and is_test(cell)
    ]


def _answered(released: Notebook, solution: Notebook) -> Notebook:
    """The released notebook, as a student would hand it in who found the instructor's answers."""
    answers = {
        known_metadata(cell)["grade_id"]: cell["source"]
        for cell in filter(is_solution, solution["cells"])
    }
    return plain.with_tests(released, answers)


def _sent(task: Task, solutions: Mapping[str, Notebook]) -> tuple[Task, str, Notebook, Notebook]:
    """The task that is graded, its one cell, and what is handed in: a solution, and a stub."""
    chosen = min(task.exercises.values(), key=_size, default=None)
    if chosen is None:
        return _plain_task(task), f"{_PLAIN}/test", _plain("x * x"), _plain("0")
    name = chosen.notebook
    released = task.skeletons[task.current]
    return _shorn(task, chosen), f"{name}/{chosen.grade_id}", solutions[name], released[name]


def _require(result: SubmissionResult, cell: str, share: float, who: str, remedy: str = "") -> None:
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
        said = ": ".join(filter(None, (mark.rung, mark.found)))
        why = f" ({said})" if said else ""
        raise CanaryDied(
            f"{who} gets {mark.score:g} of {mark.max_score:g} points for {cell.partition('/')[2]}, and must get {wanted:g}{why}{remedy}"
        )


def _grade(task: Task, handed_in: Mapping[str, Notebook]) -> SubmissionResult:
    documents: dict[str, wire.Blob] = {
        name: json.dumps(notebook).encode() for name, notebook in handed_in.items()
    }
    return engine.grade(replace(task, submission=Submission("canary", documents)))


def _size(prepared: Prepared) -> tuple[bool, int, str]:
    """Smallest first; an exercise without files makes its inputs in the box, which is slow."""
    size = sum(len(data) for case in prepared.cases if case.public for data in case.files.values())
    return size == 0, size, prepared.exercise


def _shorn(task: Task, chosen: Prepared) -> Task:
    """The task with one notebook and one exercise."""
    # The whole way, for the stub too.
    own = replace(chosen, untouched=None)
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
    blank: dict[str, object] = {"cell_type": "code", "outputs": [], "execution_count": None}
    cells = [
        {**blank, "id": meta["grade_id"], "metadata": {"nbgrader": meta}, "source": source}
        for meta, source in ((each | {"task": False}, source) for each, source in sources)
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}

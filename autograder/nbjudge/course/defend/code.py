"""The code of one student for one exercise, as it was recorded when it was graded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nbjudge.grading.config.folders import Course
from nbjudge.grading.document.cells import (
    Notebook,
    grade_id,
    is_code,
    is_own,
    is_solution,
    is_test,
)
from nbjudge.grading.marks.results import CellResult, SubmissionResult
from nbjudge.grading.published.asked_exercises import in_notebook


@dataclass(frozen=True, kw_only=True)
class Code:
    """`cells` are the student's for the exercise, `given` all others before its test cell, in their
    order.
    """

    student: str
    exercise: str
    notebook: str
    given: tuple[str, ...]
    cells: tuple[str, ...]


def of_student(course: Course, assignment: str, result: SubmissionResult) -> Iterator[Code]:
    """The code behind each exercise of which the student earned something."""
    folder = course.autograded / result.student / assignment
    for path in sorted(folder.glob("*.ipynb")):
        notebook = json.loads(path.read_bytes())
        for exercise, test in _tests(notebook).items():
            marked = result.cells.get(f"{path.stem}/{grade_id(notebook['cells'][test])}")
            if marked is not None and _is_earned(marked):
                yield _code(result.student, exercise, path.stem, notebook["cells"], test)


def _is_earned(cell: CellResult) -> bool:
    return any(item.earned for item in cell.items) if cell.items else bool(cell.score)


def _tests(notebook: Notebook) -> dict[str, int]:
    """The place of each exercise's test cell."""
    return {
        exercise: place
        for place, cell in enumerate(notebook["cells"])
        for exercise in in_notebook({"cells": [cell]})
    }


def _code(student: str, exercise: str, notebook: str, cells: list[Mapping], test: int) -> Code:
    before = [place for place in range(test) if is_test(cells[place])]
    first = before[-1] + 1 if before else 0
    given: list[str] = []
    own: list[str] = []
    for place, cell in enumerate(cells[:test]):
        if is_code(cell) and not is_test(cell):
            is_students = place >= first and (is_solution(cell) or is_own(cell))
            (own if is_students else given).append("".join(cell["source"]))
    return Code(
        student=student,
        exercise=exercise,
        notebook=notebook,
        given=tuple(given),
        cells=tuple(own),
    )

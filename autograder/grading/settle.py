"""What becomes of automatic scores in the gradebook: late penalties by nbgrader's plugin, and the
marks that people gave.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.orm import Query
from traitlets.config import Config

from autograder.grading import extensions
from autograder.grading.folders import Course
from autograder.grading.results import GRADED, MANUAL, CellResult, SubmissionResult


class PenaltyError(RuntimeError):
    """The plugin for late penalties does not work. The text says what it said."""


def penalize(
    book: Gradebook,
    course: Course,
    assignment: str,
    students: Collection[str],
    config: Config | None,
) -> None:
    """Extensions, then the late penalty of every notebook, as nbgrader's AssignLatePenalties sets
    it. Raises PenaltyError.

    It is worked out from the due date, the extension and the marks that are in the gradebook now,
    so that a later change of any of them is followed, and running it twice changes nothing.
    """
    step = AssignLatePenalties(config=config)
    if not step.enabled:
        return
    step.init_plugin()
    granted = extensions.read(course).get(assignment, {})
    wanted = set(students)
    rows = (
        book.db.query(SubmittedAssignment, Student.id)
        .join(Student)
        .join(Assignment)
        .filter(Assignment.name == assignment)
    )
    if len(wanted) == 1:  # a whole class is read whole
        rows = rows.filter(Student.id == next(iter(wanted)))
    for submission, student in rows:
        if student not in wanted:
            continue
        if student in granted:
            _extend(submission, granted[student])
        seconds = submission.total_seconds_late if submission.assignment.duedate else 0
        for notebook in submission.notebooks:
            penalty = _penalty(step, student, notebook, seconds) if seconds > 0 else None
            if notebook.late_submission_penalty != penalty:
                notebook.late_submission_penalty = penalty
    book.db.commit()


def read_marks(book: Gradebook, assignment: str, results: Mapping[str, SubmissionResult]) -> None:
    """Put the gradebook's final marks into `results`, by student: what a person gave counts instead
    of, or beside, the automatic score.
    """
    waiting = set()
    for student, notebook, name, score, auto, manual, needs_manual in _marks_of(book, assignment):
        if student not in results:
            continue
        if needs_manual:
            waiting.add(student)
        cell = results[student].cells.get(f"{notebook}/{name}")
        if cell is not None:
            _mark(cell, score, is_marked=auto is not None or manual is not None)
    for student, result in results.items():
        result.needs_manual = student in waiting
        result.late_penalty = 0.0
    for student, penalty in _penalties_of(book, assignment):
        if student in results:
            results[student].late_penalty += penalty


def _marks_of(book: Gradebook, assignment: str) -> Query:
    grade = (Grade.score, Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade)
    return (
        book.db.query(Student.id, Notebook.name, BaseCell.name, *grade)
        .select_from(Grade)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .join(Student, SubmittedAssignment.student_id == Student.id)
        .filter(Assignment.name == assignment)
    )


def _penalties_of(book: Gradebook, assignment: str) -> Query:
    penalty = SubmittedNotebook.late_submission_penalty
    return (
        book.db.query(Student.id, penalty)
        .select_from(SubmittedNotebook)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .join(Student, SubmittedAssignment.student_id == Student.id)
        .filter(Assignment.name == assignment, penalty.isnot(None))
    )


def _mark(cell: CellResult, score: float, is_marked: bool) -> None:
    cell.status = GRADED if is_marked else MANUAL
    cell.score = round(float(score), 4) if is_marked else None


def _extend(submission: SubmittedAssignment, entry: dict) -> None:
    extension = extensions.length(entry, submission.assignment.duedate)
    if submission.extension != extension:
        submission.extension = extension


def _penalty(
    step: AssignLatePenalties, student: str, notebook: SubmittedNotebook, seconds: float
) -> float | None:
    try:
        penalty = step.plugin_inst.late_submission_penalty(student, notebook.score, seconds)
        return None if penalty is None else step._check_late_penalty(notebook, float(penalty))
    except Exception as error:
        raise PenaltyError(
            f"the late-penalty plugin {type(step.plugin_inst).__name__} failed: {type(error).__name__}: {error}"
        ) from None

"""What becomes of automatic scores in the gradebook: late penalties by nbgrader's plugin, and the
marks that people gave.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace

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
from sqlalchemy import Row, func, select
from sqlalchemy.orm import Query
from traitlets.config import Config

from autograder.grading import extensions
from autograder.grading.folders import Course
from autograder.grading.results import GRADED, MANUAL, CellResult, SubmissionResult

# Rows that are read at once.
_ROWS = 500


class PenaltyError(RuntimeError):
    """The plugin for late penalties does not work. The text says what it said."""


class Penalties:
    """Extensions, then the late penalty of every notebook, as nbgrader's AssignLatePenalties sets
    it. The caller commits.

    It is worked out from the due date, the extension and the marks that are in the gradebook now,
    so that a later change of any of them is followed, and running it twice changes nothing.
    """

    def __init__(self, course: Course, assignment: str, config: Config | None):
        self._course, self._assignment = course, assignment
        self._step = AssignLatePenalties(config=config)
        if self._step.enabled:
            self._step.init_plugin()

    def set(self, book: Gradebook, students: Collection[str]) -> None:
        """Raises PenaltyError."""
        if not self._step.enabled:
            return
        late = {
            submission: (student, seconds)
            for submission, student, seconds in self._lateness(book, set(students))
        }
        cells = _cells(book, self._assignment)
        for notebook in _to_look_at(book, late, cells.keys()):
            student, seconds = late[notebook.assignment_id]
            score = _score(book, notebook, cells) if seconds > 0 else 0.0
            penalty = _penalty(self._step, student, score, seconds) if seconds > 0 else None
            notebook.late_submission_penalty = penalty

    def _lateness(
        self, book: Gradebook, students: Collection[str]
    ) -> Iterator[tuple[str, str, float]]:
        """Each submission's id, its student, and how many seconds late it is; an extension that was
        granted is put beside it.
        """
        granted = extensions.read(self._course).get(self._assignment, {})
        own, due = book.db.execute(
            select(Assignment.id, Assignment.duedate).where(Assignment.name == self._assignment)
        ).one()
        for submission, student, when, extension in _handed_in(book, own, students):
            if student in granted:
                longer = extensions.length(granted[student], due)
                if longer != extension:
                    _extend(book, submission, longer)
                extension = longer
            yield submission, student, _seconds(when, due, extension)


def _handed_in(book: Gradebook, assignment: str, students: Collection[str]) -> Iterator[Row]:
    table = SubmittedAssignment
    found = select(table.id, table.student_id, table.timestamp, table.extension)
    found = found.where(table.assignment_id == assignment)
    if len(students) == 1:  # a whole class is read whole
        found = found.where(table.student_id == next(iter(students)))
    return (row for row in book.db.execute(found).all() if row.student_id in students)


def _extend(book: Gradebook, submission: str, extension: timedelta | None) -> None:
    table = SubmittedAssignment.__table__
    book.db.execute(table.update().where(table.c.id == submission).values(extension=extension))


def _seconds(when: datetime | None, due: datetime | None, extension: timedelta | None) -> float:
    """nbgrader's `total_seconds_late`."""
    if when is None or due is None:
        return 0.0
    return max(0.0, (when - due - (extension or timedelta())).total_seconds())


def _cells(book: Gradebook, assignment: str) -> dict[str, list[str]]:
    """By the id of a published notebook, its cells. They lead nbgrader's indexes: without them, a
    table would be read from end to end.
    """
    found: dict[str, list[str]] = {}
    rows = (
        select(Notebook.id, BaseCell.id)
        .join(Assignment, Notebook.assignment_id == Assignment.id)
        .outerjoin(BaseCell, BaseCell.notebook_id == Notebook.id)
        .where(Assignment.name == assignment)
    )
    for notebook, cell in book.db.execute(rows):
        found.setdefault(notebook, []).append(cell)
    return found


def _to_look_at(
    book: Gradebook, late: Mapping[str, tuple[str, float]], published: Collection[str]
) -> Iterator[SubmittedNotebook]:
    """By submission, who is how late: notebooks that are, and those that are not and yet have a
    penalty.
    """
    found = book.db.query(SubmittedNotebook).populate_existing()
    found = found.filter(SubmittedNotebook.notebook_id.in_(published))
    punished = found.filter(SubmittedNotebook.late_submission_penalty.isnot(None))
    for is_late, query in ((True, found), (False, punished)):
        ids = [each for each, (_, seconds) in late.items() if (seconds > 0) == is_late]
        for start in range(0, len(ids), _ROWS):
            some = ids[start : start + _ROWS]
            yield from query.filter(SubmittedNotebook.assignment_id.in_(some))


def _score(
    book: Gradebook, notebook: SubmittedNotebook, cells: Mapping[str, Collection[str]]
) -> float:
    """nbgrader's SubmittedNotebook.score."""
    total = select(func.coalesce(func.sum(Grade.score), 0.0)).where(
        Grade.cell_id.in_(cells[notebook.notebook_id]), Grade.notebook_id == notebook.id
    )
    return book.db.scalar(total)


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
        .yield_per(_ROWS)
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


def _penalty(step: AssignLatePenalties, student: str, score: float, seconds: float) -> float | None:
    try:
        penalty = step.plugin_inst.late_submission_penalty(student, score, seconds)
        return (
            None
            if penalty is None
            else step._check_late_penalty(SimpleNamespace(score=score), float(penalty))
        )
    except Exception as error:
        raise PenaltyError(
            f"the late-penalty plugin {type(step.plugin_inst).__name__} failed: {type(error).__name__}: {error}"
        ) from None

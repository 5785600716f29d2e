"""What becomes of automatic scores in the gradebook: late penalties by nbgrader's plugin, and the
marks that people gave.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace

from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import Row, Select, func, select
from traitlets.config import Config

from autograder.grading import extensions, rows
from autograder.grading.folders import Course
from autograder.grading.results import GRADED, MANUAL, CellResult, SubmissionResult

# Rows that are read at once.
_ROWS = 400


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
        punished = _punishable(book, self._assignment, late)
        scores = _scores(book, [row for row in punished if late[row.assignment_id][1] > 0])
        penalties = (
            (row, self._penalty(*late[row.assignment_id], scores.get(row.id, 0.0)))
            for row in punished
        )
        changed = [
            {"which": row.id, "late_submission_penalty": penalty}
            for row, penalty in penalties
            if penalty != row.late_submission_penalty
        ]
        if changed:
            book.db.connection().execute(rows.changing(SubmittedNotebook), changed)

    def _penalty(self, student: str, seconds: float, score: float) -> float | None:
        return _penalty(self._step, student, score, seconds) if seconds > 0 else None

    def _lateness(
        self, book: Gradebook, students: Collection[str]
    ) -> Iterator[tuple[str, str, float]]:
        """Each submission's id, its student, and how many seconds late it is; an extension that was
        granted is put beside it.
        """
        granted = extensions.read(self._course).get(self._assignment, {})
        for submission, student, when, extension, due in _handed_in(
            book, self._assignment, students
        ):
            if student in granted:
                longer = extensions.length(granted[student], due)
                if longer != extension:
                    _extend(book, submission, longer)
                extension = longer
            yield submission, student, _seconds(when, due, extension)


def _handed_in(book: Gradebook, assignment: str, students: Collection[str]) -> Iterator[Row]:
    table = SubmittedAssignment
    found = select(table.id, table.student_id, table.timestamp, table.extension, Assignment.duedate)
    found = found.join(Assignment).where(Assignment.name == assignment)
    if len(students) <= _ROWS:  # a whole class is read whole
        found = found.where(table.student_id.in_(students))
    return (row for row in book.db.execute(found).all() if row.student_id in students)


def _extend(book: Gradebook, submission: str, extension: timedelta | None) -> None:
    table = SubmittedAssignment.__table__
    book.db.execute(table.update().where(table.c.id == submission).values(extension=extension))


def _seconds(when: datetime | None, due: datetime | None, extension: timedelta | None) -> float:
    """nbgrader's `total_seconds_late`."""
    if when is None or due is None:
        return 0.0
    return max(0.0, (when - due - (extension or timedelta())).total_seconds())


def _punishable(
    book: Gradebook, assignment: str, late: Mapping[str, tuple[str, float]]
) -> list[Row]:
    """By submission, who is how late: notebooks that are, or that are not and have a penalty."""
    table, penalty = SubmittedNotebook, SubmittedNotebook.late_submission_penalty
    published = select(Notebook.id).join(Assignment).where(Assignment.name == assignment)
    wanted = select(table.id, table.assignment_id, table.notebook_id, penalty).where(
        # It leads nbgrader's index: without it, the table would be read to its end.
        table.notebook_id.in_(list(book.db.scalars(published)))
    )
    found: list[Row] = []
    for some in parts(late):
        are_late = [each for each in some if late[each][1] > 0]
        either = table.assignment_id.in_(are_late) | penalty.isnot(None)
        found += book.db.execute(wanted.where(table.assignment_id.in_(some), either))
    return found


def _scores(book: Gradebook, notebooks: Iterable[Row]) -> dict[str, float]:
    """By its id, nbgrader's SubmittedNotebook.score of each that has any grade."""
    together = _together(notebooks)
    cells = _cells(book, together)
    return {
        notebook: score
        for published, own in together.items()
        for some in parts(own)
        for notebook, score in book.db.execute(_total(cells[published], some))
    }


def _together(notebooks: Iterable[Row]) -> dict[str, list[str]]:
    """The ids of what was handed in, by the id of the published notebook."""
    found: dict[str, list[str]] = {}
    for row in notebooks:
        found.setdefault(row.notebook_id, []).append(row.id)
    return found


def _cells(book: Gradebook, notebooks: Collection[str]) -> dict[str, list[str]]:
    """By the id of a published notebook, its cells."""
    found: dict[str, list[str]] = {notebook: [] for notebook in notebooks}
    wanted = select(BaseCell.notebook_id, BaseCell.id).where(BaseCell.notebook_id.in_(found))
    for notebook, cell in book.db.execute(wanted) if found else ():
        found[notebook].append(cell)
    return found


def _total(cells: Collection[str], notebooks: Collection[str]) -> Select:
    """Cells lead nbgrader's index: without them, the table would be read to its end."""
    return (
        select(Grade.notebook_id, func.sum(Grade.score))
        .where(Grade.cell_id.in_(cells), Grade.notebook_id.in_(notebooks))
        .group_by(Grade.notebook_id)
    )


def parts(names: Collection[str]) -> Iterator[list[str]]:
    """Few enough for one statement each."""
    names = list(names)
    return (names[start : start + _ROWS] for start in range(0, len(names), _ROWS))


def read_marks(book: Gradebook, assignment: str, results: Mapping[str, SubmissionResult]) -> None:
    """Put the gradebook's final marks into `results`, by student: what a person gave counts instead
    of, or beside, the automatic score.
    """
    for result in results.values():
        result.needs_manual, result.late_penalty = False, 0.0
    for some in parts(results):
        books = _books(book, assignment, some)
        for own in books.values():
            results[own.student_id].late_penalty += own.late_submission_penalty or 0.0
        for mark in _marks(book, books.values()):
            own = books[mark.notebook_id]
            result = results[own.student_id]
            result.needs_manual |= mark.needs_manual_grade
            cell = result.cells.get(f"{own.name}/{mark.name}")
            if cell is not None:
                is_marked = mark.auto_score is not None or mark.manual_score is not None
                _mark(cell, mark.score, is_marked)


def _books(book: Gradebook, assignment: str, students: Collection[str]) -> dict[str, Row]:
    """By its id, each notebook that these students handed in."""
    table, handed_in = SubmittedNotebook, SubmittedAssignment
    given = book.db.scalar(select(Assignment.id).where(Assignment.name == assignment))
    own = select(handed_in.id).where(
        handed_in.assignment_id == given, handed_in.student_id.in_(students)
    )
    published = select(Notebook.id).where(Notebook.assignment_id == given)
    penalty = table.late_submission_penalty
    found = select(table.id, table.notebook_id, penalty, handed_in.student_id, Notebook.name)
    found = found.select_from(table).join(handed_in).join(Notebook)
    # Both lead nbgrader's index: without them, the table would be read to its end.
    chosen = found.where(
        table.assignment_id.in_(list(book.db.scalars(own))),
        table.notebook_id.in_(list(book.db.scalars(published))),
    )
    return {row.id: row for row in book.db.execute(chosen)}


def _marks(book: Gradebook, notebooks: Iterable[Row]) -> Iterator[Row]:
    """All grades of notebooks that were handed in."""
    together = _together(notebooks)
    columns = (Grade.score, Grade.auto_score, Grade.manual_score, Grade.needs_manual_grade)
    cells = _cells(book, together)
    for published, own in together.items():
        marks = select(Grade.notebook_id, BaseCell.name, *columns).join(BaseCell)
        chosen = marks.where(Grade.cell_id.in_(cells[published]), Grade.notebook_id.in_(own))
        yield from book.db.execute(chosen)


def _mark(cell: CellResult, score: float, is_marked: bool) -> None:
    cell.status = GRADED if is_marked else MANUAL
    cell.score = round(float(score), 4) if is_marked else None


def _penalty(step: AssignLatePenalties, student: str, score: float, seconds: float) -> float | None:
    try:
        penalty = step.plugin_inst.late_submission_penalty(student, score, seconds)
        if penalty is None:
            return None
        if math.isnan(penalty := float(penalty)):  # SQLite keeps it as no penalty at all
            raise ValueError("it returned NaN")
        return step._check_late_penalty(SimpleNamespace(score=score), penalty)
    except Exception as error:
        raise PenaltyError(
            f"the late-penalty plugin {type(step.plugin_inst).__name__} failed: {type(error).__name__}: {error}"
        ) from None

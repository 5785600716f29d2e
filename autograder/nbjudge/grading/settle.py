"""What becomes of automatic scores in the gradebook: late penalties by nbgrader's plugin, and the
marks that people gave.

1. How late a submission is follows from three times in the gradebook: when it was handed in, when
   the assignment was due, and the student's extension. All are in UTC.
2. What that costs, nbgrader's plugin says for each notebook, of the score that the gradebook holds
   at that moment. It is asked again whenever marks are shown or handed over, because people's marks,
   the due date and extensions may have changed since.
3. No notebook loses more than it earned.
4. Whoever shows a mark gets what changed it from the same place (`read_marks`): the times, the
   penalty of each notebook, and what people gave beside or instead of the automatic score.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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

from nbjudge.grading import extensions, rows
from nbjudge.grading.folders import Course
from nbjudge.grading.results import (
    GRADED,
    MANUAL,
    ByHand,
    CellResult,
    Settled,
    SubmissionResult,
)

# Rows that are read at once.
_ROWS = 400


class PenaltyError(RuntimeError):
    """The plugin for late penalties does not work. The text says what it said."""


@dataclass
class Changed:
    """Late penalties that are not what they were: `found` holds by student and notebook what each
    took before and takes now, in points.
    """

    found: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def note(self, student: str, notebook: str, before: float, now: float) -> None:
        first, _ = self.found.get((student, notebook), (before, now))
        self.found[student, notebook] = first, now

    def add(self, later: Changed) -> None:
        """What changed after these."""
        for (student, notebook), (before, now) in later.found.items():
            self.note(student, notebook, before, now)

    def lines(self, with_first: bool = True) -> list[str]:
        """By student, in words; `with_first` those too of whom nothing was taken before."""
        together: dict[str, list[tuple[float, float]]] = {}
        for (student, _), change in self.found.items():
            together.setdefault(student, []).append(change)
        totals = {
            student: [sum(each) for each in zip(*changes, strict=True)]
            for student, changes in together.items()
        }
        return [
            f"{student} {_taken(before)} before, {_taken(now)} now"
            for student, (before, now) in sorted(totals.items())
            if before != now and (before or with_first)
        ]


def up_to_date(book: Gradebook, course: Course, assignment: Assignment, config: Config) -> Changed:
    """The late penalties of everybody as they are due now, for whoever shows marks or hands them
    over. Penalties of an assignment without a due date stay as they are: somebody put them there.
    The caller commits. Returns what changed. Raises PenaltyError.
    """
    penalties = Penalties(course, assignment.name, config)
    if assignment.duedate is not None:
        penalties.set(book, {each.student_id for each in assignment.submissions})
        book.db.expire_all()
    return penalties.changed


def _taken(points: float) -> str:
    return f"{-points:g}" if points else "nothing"


class Penalties:
    """Extensions, then the late penalty of every notebook, as nbgrader's AssignLatePenalties sets
    it. The caller commits.

    It is worked out from the due date, the extension and the marks that are in the gradebook now,
    so that a later change of any of them is followed, and running it twice changes nothing.
    """

    def __init__(self, course: Course, assignment: str, config: Config | None):
        self._course, self._assignment = course, assignment
        self._step = AssignLatePenalties(config=config)
        self.changed = Changed()
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
        changed = []
        for row in punished:
            student, seconds = late[row.assignment_id]
            penalty = self._penalty(student, seconds, scores.get(row.id, 0.0))
            if penalty != row.late_submission_penalty:
                changed.append({"which": row.id, "late_submission_penalty": penalty})
                self.changed.note(
                    student, row.id, row.late_submission_penalty or 0.0, penalty or 0.0
                )
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
    """Put the gradebook's final marks into `results`, by student, with what changed them: what a
    person gave counts instead of, or beside, the automatic score.
    """
    for result in results.values():
        result.needs_manual, result.late_penalty, result.settled = False, 0.0, Settled()
    for some in parts(results):
        for row in _handed_in(book, assignment, set(some)):
            results[row.student_id].settled = _times(row)
        books = _books(book, assignment, some)
        for own in books.values():
            if own.late_submission_penalty:
                result = results[own.student_id]
                result.late_penalty += own.late_submission_penalty
                result.settled.penalties[own.name] = own.late_submission_penalty
        for mark in _marks(book, books.values()):
            own = books[mark.notebook_id]
            _settle(results[own.student_id], f"{own.name}/{mark.name}", mark)


def _settle(result: SubmissionResult, key: str, mark: Row) -> None:
    """Put one row of the gradebook into the result."""
    result.needs_manual |= mark.needs_manual_grade
    extra = mark.extra_credit or 0.0
    if mark.manual_score is not None or extra:
        again = mark.needs_manual_grade and mark.manual_score is not None
        given = ByHand(mark.auto_score, mark.manual_score, extra, again)
        result.settled.by_hand[key] = given
    if (cell := result.cells.get(key)) is not None:
        _mark(cell, mark.score, mark.auto_score is not None or mark.manual_score is not None)


def _times(row: Row) -> Settled:
    extended = row.duedate + row.extension if row.duedate and row.extension else None
    seconds = _seconds(row.timestamp, row.duedate, row.extension)
    return Settled(
        # Whoever is late by a part of a second should not read twice the same time.
        handed_in=utc(row.timestamp, exactly=0 < seconds < 1),
        due=utc(row.duedate),
        extended_to=utc(extended),
        seconds_late=seconds,
    )


def utc(when: datetime | None, exactly: bool = False) -> str | None:
    """A time of the gradebook, which is in UTC, with its zone."""
    return (
        f"{when:{'%Y-%m-%d %H:%M:%S.%f' if exactly else '%Y-%m-%d %H:%M:%S'}} UTC" if when else None
    )


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
    columns = (
        Grade.score,
        Grade.auto_score,
        Grade.manual_score,
        Grade.extra_credit,
        Grade.needs_manual_grade,
    )
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

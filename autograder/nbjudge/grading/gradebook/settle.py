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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import SimpleNamespace

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import ColumnElement, Row, func, select
from traitlets.config import Config

from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import extensions
from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    ByHand,
    CellResult,
    Settled,
    SubmissionResult,
)

# Submissions that are read at once.
_TOGETHER = 400


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
        book.db.flush()
        book.db.expire_all()  # nbgrader's sums are read again
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
        self._course = course
        self._assignment = assignment
        self._step = AssignLatePenalties(config=config)
        self.changed = Changed()
        if self._step.enabled:
            self._step.init_plugin()

    def set(self, book: Gradebook, students: Iterable[str]) -> None:
        """Raises PenaltyError."""
        if not self._step.enabled:
            return
        granted = extensions.read(self._course).get(self._assignment, {})
        for submissions in _submissions(book, self._assignment, students):
            for submission in submissions:
                if submission.student_id in granted:
                    entry = granted[submission.student_id]
                    submission.extension = extensions.length(entry, submission.assignment.duedate)
            late = {each.id: seconds_late(each) for each in submissions}
            notebooks = _punishable(book, submissions, late)
            scores = _scores(book, [each for each in notebooks if late[each.assignment_id] > 0])
            students_of = {each.id: each.student_id for each in submissions}
            for notebook in notebooks:
                submission = notebook.assignment_id
                score = scores.get(notebook.id, 0.0)
                self._set(notebook, students_of[submission], late[submission], score)

    def _set(self, notebook: SubmittedNotebook, student: str, seconds: float, score: float) -> None:
        before = notebook.late_submission_penalty
        penalty = _penalty(self._step, student, score, seconds) if seconds > 0 else None
        if penalty != before:
            notebook.late_submission_penalty = penalty
            self.changed.note(student, notebook.id, before or 0.0, penalty or 0.0)


def _submissions(
    book: Gradebook, assignment: str, students: Iterable[str]
) -> Iterator[Sequence[SubmittedAssignment]]:
    """The students' submissions, as many at once as one statement asks for."""
    try:
        given = book.find_assignment(assignment)
    except MissingEntry:
        return
    names = list(students)
    for start in range(0, len(names), _TOGETHER):
        some = names[start : start + _TOGETHER]
        found = select(SubmittedAssignment).where(
            SubmittedAssignment.assignment_id == given.id, SubmittedAssignment.student_id.in_(some)
        )
        yield book.db.scalars(found).all()


def seconds_late(submission: SubmittedAssignment) -> float:
    """nbgrader's `total_seconds_late`, which fails for an extension without a due date."""
    return submission.total_seconds_late if submission.assignment.duedate else 0.0


def by_index(
    assignment: Assignment, kind: type[Grade | Comment] | None = None
) -> list[ColumnElement[bool]]:
    """Conditions that choose all that was handed in of an assignment, and all its grades or
    comments.

    What they name leads nbgrader's indexes: without them, a table that grows with the class would
    be read to its end for each student.
    """
    notebooks = assignment.notebooks
    found = [SubmittedNotebook.notebook_id.in_([each.id for each in notebooks])]
    if kind is not None:
        found.append(
            kind.cell_id.in_([cell.id for each in notebooks for cell in _cells(each, kind)])
        )
    return found


def _cells(notebook: Notebook, kind: type[Grade | Comment]) -> list[BaseCell]:
    return notebook.task_cells + (
        notebook.grade_cells if kind is Grade else notebook.solution_cells
    )


def _punishable(
    book: Gradebook, submissions: Sequence[SubmittedAssignment], late: Mapping[str, float]
) -> Sequence[SubmittedNotebook]:
    """Notebooks that are late, and those that are not and have a penalty."""
    if not submissions:
        return []
    are_late = [submission for submission, seconds in late.items() if seconds > 0]
    is_late = SubmittedNotebook.assignment_id.in_(are_late)
    found = select(SubmittedNotebook).where(
        SubmittedNotebook.assignment_id.in_(late),
        is_late | SubmittedNotebook.late_submission_penalty.isnot(None),
        *by_index(submissions[0].assignment),
    )
    return book.db.scalars(found).all()


def _scores(book: Gradebook, notebooks: Sequence[SubmittedNotebook]) -> dict[str, float]:
    """By its id, nbgrader's SubmittedNotebook.score of each notebook that has any grade."""
    if not notebooks:
        return {}
    found = (
        select(Grade.notebook_id, func.sum(Grade.score))
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .where(
            SubmittedNotebook.assignment_id.in_({each.assignment_id for each in notebooks}),
            *by_index(notebooks[0].assignment.assignment, Grade),
        )
        .group_by(Grade.notebook_id)
    )
    return dict(book.db.execute(found).all())


def read_marks(book: Gradebook, assignment: str, results: Mapping[str, SubmissionResult]) -> None:
    """Put the gradebook's final marks into `results`, by student, with what changed them: what a
    person gave counts instead of, or beside, the automatic score.
    """
    for result in results.values():
        result.needs_manual = False
        result.late_penalty = 0.0
        result.settled = Settled()
    for submissions in _submissions(book, assignment, results):
        for submission in submissions:
            results[submission.student_id].settled = _times(submission)
        for notebook in _penalised(book, submissions):
            result = results[notebook.student]
            result.late_penalty += notebook.penalty
            assert result.settled is not None  # it was put there above
            result.settled.penalties[notebook.name] = notebook.penalty
        for mark in _marks(book, submissions):
            _settle(results[mark.student], f"{mark.notebook}/{mark.cell}", mark)


def _settle(result: SubmissionResult, key: str, mark: Row) -> None:
    """Put one row of the gradebook into the result."""
    result.needs_manual |= mark.needs_manual_grade
    extra = mark.extra_credit or 0.0
    if mark.manual_score is not None or extra:
        again = mark.needs_manual_grade and mark.manual_score is not None
        given = ByHand(mark.auto_score, mark.manual_score, extra, again)
        assert result.settled is not None
        result.settled.by_hand[key] = given
    if (cell := result.cells.get(key)) is not None:
        _mark(cell, mark.score, mark.auto_score is not None or mark.manual_score is not None)


def _times(submission: SubmittedAssignment) -> Settled:
    due = submission.assignment.duedate
    seconds = seconds_late(submission)
    extended = due + submission.extension if due and submission.extension else None
    return Settled(
        # Whoever is late by a part of a second should not read twice the same time.
        handed_in=utc(submission.timestamp, exactly=0 < seconds < 1),
        due=utc(due),
        extended_to=utc(extended),
        seconds_late=seconds,
    )


def utc(when: datetime | None, exactly: bool = False) -> str | None:
    """A time of the gradebook, which is in UTC, with its zone."""
    return (
        f"{when:{'%Y-%m-%d %H:%M:%S.%f' if exactly else '%Y-%m-%d %H:%M:%S'}} UTC" if when else None
    )


def _penalised(book: Gradebook, submissions: Sequence[SubmittedAssignment]) -> Sequence[Row]:
    """Notebooks that lose something for being late."""
    if not submissions:
        return []
    penalty = SubmittedNotebook.late_submission_penalty
    found = (
        select(
            SubmittedAssignment.student_id.label("student"), Notebook.name, penalty.label("penalty")
        )
        .select_from(SubmittedNotebook)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .where(
            SubmittedNotebook.assignment_id.in_([each.id for each in submissions]),
            penalty.isnot(None) & (penalty != 0),
            *by_index(submissions[0].assignment),
        )
        .order_by(Notebook.name)
    )
    return book.db.execute(found).all()


def _marks(book: Gradebook, submissions: Sequence[SubmittedAssignment]) -> Iterator[Row]:
    """All grades of the submissions, with the names of what they are for: one joined statement,
    because nbgrader would ask for each of them by itself.
    """
    if not submissions:
        return iter(())
    found = (
        select(
            SubmittedAssignment.student_id.label("student"),
            Notebook.name.label("notebook"),
            BaseCell.name.label("cell"),
            Grade.score,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .select_from(Grade)
        .join(BaseCell, Grade.cell_id == BaseCell.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .where(
            SubmittedNotebook.assignment_id.in_([each.id for each in submissions]),
            *by_index(submissions[0].assignment, Grade),
        )
        .order_by(Notebook.name, BaseCell.name)
    )
    return iter(book.db.execute(found))


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
    except Exception as error:  # an instructor's plugin may raise anything  # noqa: BLE001
        raise PenaltyError(
            f"the late-penalty plugin {type(step.plugin_inst).__name__} failed: {type(error).__name__}: {error}"
        ) from None

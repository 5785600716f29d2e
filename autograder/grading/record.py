"""Put results into nbgrader's gradebook and the autograded folder, through nbgrader's own
preprocessors. One writer only.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace

import nbformat
from nbformat import NotebookNode
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
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.grading import beside, settle
from autograder.grading import gradebook as database
from autograder.grading.folders import Course, write_private
from autograder.grading.results import UNGRADED, SubmissionResult

# nbgrader adds rows while a query flushes; SQLAlchemy warns each time, and nothing is lost.
warnings.filterwarnings("ignore", category=SAWarning, message=r"Object of type <Submitted")

# What nbgrader names a student's feedback by in the exchange: made when the lab is handed in there,
# known to that student alone.
SECRET = "submission_secret.txt"
# After so many submissions, rows that were read are forgotten: a class of any size takes the same
# memory.
FORGET_AFTER = 50


class RecordError(RuntimeError):
    """The gradebook does not fit the assignment. The text says what to type."""


@contextmanager
def gradebook(course: Course):
    """The course's gradebook, closed at the end."""
    book = Gradebook(course.gradebook_url, course.course_id)
    try:
        yield book
    finally:
        book.close()


def known_students(course: Course) -> set[str]:
    with gradebook(course) as book:
        return {student.id for student in book.students}


def recorded_students(course: Course, assignment: str) -> set[str]:
    """Students whose submissions of the assignment are in the gradebook and in `autograded/`."""
    with gradebook(course) as book:
        try:
            students = {
                submission.student_id for submission in book.find_assignment(assignment).submissions
            }
        except MissingEntry:
            return set()
    return {student for student in students if (course.autograded / student / assignment).is_dir()}


def has_submissions(course: Course, assignment: str) -> bool:
    """Whether the gradebook holds submissions of the assignment, or students have handed some in."""
    if any(course.submitted.glob(f"*/{assignment}")):
        return True
    if not database.exists(course):
        return False
    with gradebook(course) as book:
        try:
            return bool(book.find_assignment(assignment).submissions)
        except MissingEntry:
            return False


class Recorder:
    """A gradebook that stays open for a whole run, and takes one submission after the other, each
    in one transaction.

    `config` is the instructor's nbgrader_config.py, `files` what was published beside the notebooks
    of a plain assignment.
    """

    def __init__(
        self,
        course: Course,
        assignment: str,
        config: Config | None = None,
        files: Mapping[str, bytes] | None = None,
    ):
        self._course = course
        self._assignment = assignment
        self._config = config
        self._files = files or {}
        self._book: Gradebook | None = None
        self._taken = 0
        # A session lets go of rows that nothing holds, and would read them anew for each student.
        self._held: Assignment | None = None

    def record(self, result: SubmissionResult) -> None:
        """Write one result: the student if new, the submission, every cell's score (stale ones
        replaced), late penalties, the notebooks.

        Running it twice leaves the same gradebook. Raises RecordError when the gradebook lacks the
        assignment's notebooks.
        """
        if self._book is None:
            self._book = Gradebook(self._course.gradebook_url, self._course.course_id)
        try:
            self._record(self._book, result)
        except BaseException:
            self.close()  # whatever is half done there
            raise
        self._taken += 1
        if self._taken % FORGET_AFTER == 0:
            self._book.db.remove()

    def close(self) -> None:
        book, self._book = self._book, None
        if book is not None:
            book.close()

    def _record(self, book: Gradebook, result: SubmissionResult) -> None:
        assignment = self._assignment
        try:
            self._held = published = book.find_assignment(assignment)
            names = {notebook.name for notebook in published.notebooks}
        except MissingEntry:
            names = set()
        if missing := result.documents.keys() - names:
            raise RecordError(
                f"the gradebook has no notebook {sorted(missing)[0]!r} in {assignment}: type `course publish {assignment}`"
            )
        notebooks = {
            name: nbformat.from_dict(document) for name, document in result.documents.items()
        }
        _write_notebooks(self._course, assignment, result, notebooks, self._files)
        with _one_transaction(book):
            self._enter(book, result, notebooks)

    def _enter(
        self, book: Gradebook, result: SubmissionResult, notebooks: Mapping[str, NotebookNode]
    ) -> None:
        assignment = self._assignment
        book.update_or_create_student(result.student)
        when = {"timestamp": parse_utc(result.timestamp)} if _is_time(result.timestamp) else {}
        submission = book.update_or_create_submission(assignment, result.student, **when)
        step = SaveAutoGrades(config=self._config)
        step.gradebook = _Rows(book, submission)
        step.assignment_id = assignment
        step.student_id = result.student
        for name, notebook in notebooks.items():
            step.notebook_id = name
            for index, cell in enumerate(notebook.cells):
                step.preprocess_cell(cell, {}, index)
        book.db.flush()
        for row in [submission, *submission.notebooks]:  # their sums of marks are read anew
            book.db.expire(row)
        settle.penalize(book, self._course, assignment, [result.student], self._config)


@contextmanager
def _one_transaction(book: Gradebook) -> Iterator[None]:
    """nbgrader's methods commit each row by itself. What is written in here is committed together,
    at the end.
    """
    book.db.commit = book.db.flush
    book.db().expire_on_commit = (
        False  # the assignment's own rows, hundreds of them, are the same for every student
    )
    try:
        yield
    finally:
        del book.db.commit
    book.db.commit()


class _Rows:
    """What SaveAutoGrades asks of a gradebook: one submission's rows, fetched together and
    committed together.
    """

    def __init__(self, book: Gradebook, submission: SubmittedAssignment):
        self.db = SimpleNamespace(commit=lambda: None)
        self._grades = _by_name(book, submission, Grade)
        self._comments = _by_name(book, submission, Comment)

    def find_grade(self, name: str, notebook: str, assignment: str, student: str) -> Grade:
        return _found(self._grades, notebook, name)

    def find_comment(self, name: str, notebook: str, assignment: str, student: str) -> Comment:
        return _found(self._comments, notebook, name)


def _by_name(
    book: Gradebook, submission: SubmittedAssignment, kind: type
) -> dict[tuple[str, str], object]:
    rows = (
        book.db.query(kind, Notebook.name, BaseCell.name)
        .join(SubmittedNotebook, kind.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(BaseCell, kind.cell_id == BaseCell.id)
        .filter(SubmittedNotebook.assignment_id == submission.id)
    )
    return {(notebook, name): row for row, notebook, name in rows}


def _found(rows: dict[tuple[str, str], object], notebook: str, name: str) -> object:
    if (notebook, name) not in rows:
        raise MissingEntry(f"the gradebook has no cell {name!r} in {notebook!r}")
    return rows[notebook, name]


def final_marks(
    course: Course, assignment: str, results: list[SubmissionResult], config: Config | None = None
) -> None:
    """Bring results that were recorded in line with the gradebook: manual marks, extra credit, and
    penalties as they are due today.
    """
    recorded = {
        result.student: result
        for result in results
        if _has_marks(result) and result.score is not None
    }
    if recorded:
        with gradebook(course) as book:
            settle.penalize(book, course, assignment, list(recorded), config)
            settle.read_marks(book, assignment, recorded)


def _has_marks(result: SubmissionResult) -> bool:
    """Whether notebooks of it are in the gradebook; one that was taken from the journal comes
    without its documents.
    """
    return any(book.status != UNGRADED for book in result.notebooks.values())


def _write_notebooks(
    course: Course,
    assignment: str,
    result: SubmissionResult,
    notebooks: Mapping[str, NotebookNode],
    files: Mapping[str, bytes],
) -> None:
    """Replace `autograded/<student>/<assignment>` whole, so that nothing of an older run stays."""
    target = course.autograded / result.student / assignment
    temporary = target.with_name(f".{assignment}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for name, notebook in notebooks.items():
        nbformat.validate(notebook)
        # nbformat's writer is slow.
        (temporary / f"{name}.ipynb").write_text(
            json.dumps(notebook, ensure_ascii=False) + "\n", "utf-8"
        )
    beside.write(temporary, files, result.files)
    if _is_time(result.timestamp):
        (temporary / "timestamp.txt").write_text(result.timestamp)
    if result.secret:
        write_private(temporary / SECRET, result.secret.encode())
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)


def _is_time(text: str | None) -> bool:
    try:
        return text is not None and parse_utc(text) is not None
    except (ValueError, OverflowError):
        return False


def submission_score(course: Course, assignment: str, student: str) -> float:
    """The score that the gradebook holds, manual marks included, before late penalties."""
    with gradebook(course) as book:
        return book.find_submission(assignment, student).score

"""Put results into nbgrader's gradebook and the autograded folder, through nbgrader's own preprocessors. One writer only."""

from __future__ import annotations

import shutil
import warnings
from contextlib import contextmanager

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.grading import gradebook as database
from autograder.grading import settle
from autograder.grading.folders import Course, write_private
from autograder.grading.results import SubmissionResult

# nbgrader adds rows while a query flushes; SQLAlchemy warns each time, and nothing is lost.
warnings.filterwarnings("ignore", category=SAWarning, message=r"Object of type <Submitted")

# What nbgrader names a student's feedback by in the exchange: made when the lab is handed in there, known to that student alone.
SECRET = "submission_secret.txt"


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
            students = {submission.student_id for submission in book.find_assignment(assignment).submissions}
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


def record(course: Course, assignment: str, result: SubmissionResult, config: Config | None = None) -> None:
    """Write one result: the student if new, the submission, every cell's score (stale ones replaced), late penalties, the notebooks.

    `config` is the instructor's nbgrader_config.py. Running it twice leaves the same gradebook. Raises RecordError when the gradebook
    lacks the assignment's notebooks.
    """
    with gradebook(course) as book:
        try:
            published = {notebook.name for notebook in book.find_assignment(assignment).notebooks}
        except MissingEntry:
            published = set()
        if missing := set(result.documents) - published:
            raise RecordError(f"the gradebook has no notebook {sorted(missing)[0]!r} in {assignment}: type `course publish {assignment}`")
        book.update_or_create_student(result.student)
        when = {"timestamp": parse_utc(result.timestamp)} if _is_time(result.timestamp) else {}
        book.update_or_create_submission(assignment, result.student, **when)
    _write_notebooks(course, assignment, result)
    for name, document in result.documents.items():
        notebook = nbformat.from_dict(document)
        resources = {
            "nbgrader": {"student": result.student, "assignment": assignment, "notebook": name, "db_url": course.gradebook_url},
            "unique_key": name,
        }
        SaveAutoGrades(config=config).preprocess(notebook, resources)
    with gradebook(course) as book:
        settle.penalize(book, course, assignment, [result.student], config)


def final_marks(course: Course, assignment: str, results: list[SubmissionResult], config: Config | None = None) -> None:
    """Bring results that were recorded in line with the gradebook: manual marks, extra credit, and penalties as they are due today."""
    recorded = {result.student: result for result in results if result.documents and result.score is not None}
    if recorded:
        with gradebook(course) as book:
            settle.penalize(book, course, assignment, list(recorded), config)
            settle.read_marks(book, assignment, recorded)


def _write_notebooks(course: Course, assignment: str, result: SubmissionResult) -> None:
    """Replace `autograded/<student>/<assignment>` whole, so that nothing of an older run stays."""
    target = course.autograded / result.student / assignment
    temporary = target.with_name(f".{assignment}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for name, document in result.documents.items():
        notebook = nbformat.from_dict(document)
        nbformat.validate(notebook)
        nbformat.write(notebook, temporary / f"{name}.ipynb")
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

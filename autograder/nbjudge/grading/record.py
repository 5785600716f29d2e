"""Put results into nbgrader's gradebook and the autograded folder; nbgrader's own preprocessors say
what is put there. One writer only.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import SaveAutoGrades
from traitlets.config import Config

from nbjudge.grading import beside, rows, settle, settled, skeletons, times
from nbjudge.grading import gradebook as database
from nbjudge.grading.folders import Course, write_private
from nbjudge.grading.journal import Journal
from nbjudge.grading.kept import KeptResults
from nbjudge.grading.results import UNGRADED, SubmissionResult
from nbjudge.grading.skeletons import nbgrader_metadata

# What nbgrader names a student's feedback by in the exchange: made when the lab is handed in there,
# known to that student alone.
SECRET = "submission_secret.txt"
# After so many submissions, what was read of the assignment is read again.
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


def known_assignments(course: Course) -> set[str]:
    with gradebook(course) as book:
        return {assignment.name for assignment in book.assignments}


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
    """A gradebook that stays open for a whole run, and takes the submissions that are ready at once
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
        self._folder = _Folder(course, assignment, files or {})
        self._book: Gradebook | None = None
        self._published: rows.Published | None = None
        self._taken = 0

    def record(self, results: Sequence[SubmissionResult]) -> None:
        """Write results of several students: the students if new, their submissions, every cell's
        score (stale ones replaced), late penalties, the notebooks. When it returns, the gradebook
        holds them, and the results have its marks; when it raises, none of them, once this is closed.

        Running it twice leaves the same gradebook. Raises RecordError when the gradebook lacks the
        assignment's notebooks.
        """
        book, published = self._opened()
        times = {result.student: _time(result.timestamp) for result in results}
        for result in results:
            self._check(result, published)
            self._folder.write(result, result.timestamp if times[result.student] else None)
        entries = rows.Entries(book.db(), published, times)
        seen = {}
        for result in results:
            self._step.assignment_id, self._step.student_id = self._assignment, result.student
            found, filed = entries.rows(result.student), self._settled.read(result.student)
            before, now = settled.settled(found.grades), settled.digests(result.documents)
            _mark(found, self._step, result.documents)
            settled.keep(found.grades, before, filed, now)
            seen[result.student] = {**filed, **now}
        entries.write(times)
        self._penalties.set(book, times)
        settle.read_marks(book, self._assignment, {each.student: each for each in results})
        book.db.commit()
        for student, digests in seen.items():
            self._settled.file(student, digests)
        self._taken += len(results)
        if self._taken >= FORGET_AFTER:
            book.db.remove()
            self._published, self._taken = None, 0

    @property
    def changed_penalties(self) -> settle.Changed:
        """Late penalties that recording changed."""
        return self._penalties.changed

    def close(self) -> None:
        """What is not in the gradebook yet is forgotten."""
        book, self._book, self._published, self._taken = self._book, None, None, 0
        if book is not None:
            book.close()

    def _check(self, result: SubmissionResult, published: rows.Published) -> None:
        if missing := result.documents.keys() - published.notebooks.keys():
            raise RecordError(
                f"the gradebook has no notebook {sorted(missing)[0]!r} in {self._assignment}: {self._course.publishing(self._assignment)}"
            )

    def _opened(self) -> tuple[Gradebook, rows.Published]:
        if self._book is None:
            self._book = Gradebook(self._course.gradebook_url, self._course.course_id)
        if self._published is None:
            self._published = _published(self._course, self._book, self._assignment)
        return self._book, self._published

    @cached_property
    def _settled(self) -> settled.Settled:
        return settled.Settled(self._course, self._assignment)

    @cached_property
    def _penalties(self) -> settle.Penalties:
        return settle.Penalties(self._course, self._assignment, self._config)

    @cached_property
    def _step(self) -> SaveAutoGrades:
        """nbgrader's rule of what a cell's outputs are worth."""
        return SaveAutoGrades(config=self._config)


def _published(course: Course, book: Gradebook, assignment: str) -> rows.Published:
    try:
        return rows.Published.of(book.db(), book.find_assignment(assignment).id)
    except MissingEntry:
        raise RecordError(
            f"the gradebook has no assignment {assignment}: {course.publishing(assignment)}"
        ) from None


def _mark(found: rows.Rows, step: SaveAutoGrades, documents: Mapping[str, Mapping]) -> None:
    """Put the marks that are in the notebooks' cells into the rows."""
    step.gradebook = found
    for step.notebook_id, document in documents.items():
        for index, cell in enumerate(document["cells"]):
            if _counts(cell):
                step.preprocess_cell(nbformat.from_dict(cell), {}, index)


def final_marks(
    course: Course, assignment: str, results: KeptResults, config: Config | None = None
) -> settle.Changed:
    """Bring results that were recorded in line with the gradebook: manual marks, extra credit, and
    penalties as they are due today. Returns the penalties that changed.
    """
    recorded = {
        result.student: index
        for index, result in enumerate(results)
        if _has_marks(result) and result.score is not None
    }
    if not recorded:
        return settle.Changed()
    penalties = settle.Penalties(course, assignment, config)
    with gradebook(course) as book:
        penalties.set(book, recorded.keys())
        book.db.commit()
        for some in settle.parts(recorded):
            marked = {student: results[recorded[student]] for student in some}
            settle.read_marks(book, assignment, marked)
            for student, result in marked.items():
                results[recorded[student]] = result
    return penalties.changed


def last_results(
    course: Course, book: Gradebook, assignment: str, students: Collection[str]
) -> dict[str, SubmissionResult]:
    """What was graded last of these students, without documents, with the gradebook's marks and
    what changed them. Of a student whom something else graded, the gradebook's part alone.
    """
    journal = Journal(course, assignment) if skeletons.is_published(course, assignment) else None
    found = {}
    for student in students:
        known = journal.read(student).result(with_documents=False) if journal else None
        found[student] = known or SubmissionResult(student, 0.0)
    settle.read_marks(book, assignment, found)
    return found


def _has_marks(result: SubmissionResult) -> bool:
    """Whether notebooks of it are in the gradebook; one that was taken from the journal comes
    without its documents.
    """
    return any(book.status != UNGRADED for book in result.notebooks.values())


def _counts(cell: Mapping) -> bool:
    meta = nbgrader_metadata(cell)
    return bool(meta and (meta["grade"] or meta["solution"] or meta.get("task")))


class _Folder:
    """`autograded/<student>/<assignment>` of one student after the other."""

    def __init__(self, course: Course, assignment: str, files: Mapping[str, bytes]):
        self._course, self._assignment, self._files = course, assignment, files

    def write(self, result: SubmissionResult, timestamp: str | None) -> None:
        """Replace the folder whole, so that nothing of an older run stays."""
        target = self._course.autograded / result.student / self._assignment
        temporary = target.with_name(f".{self._assignment}.tmp")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        for name, text in result.texts.items():
            (temporary / f"{name}.ipynb").write_text(text + "\n", "utf-8")
        beside.write(temporary, self._files, result.files)
        if timestamp:
            (temporary / times.FILE).write_text(timestamp)
        if result.secret:
            write_private(temporary / SECRET, result.secret.encode())
        shutil.rmtree(target, ignore_errors=True)
        temporary.rename(target)


def _time(text: str | None) -> datetime | None:
    return times.parsed(text)


def submission_score(course: Course, assignment: str, student: str) -> float:
    """The score that the gradebook holds, manual marks included, before late penalties."""
    with gradebook(course) as book:
        return book.find_submission(assignment, student).score

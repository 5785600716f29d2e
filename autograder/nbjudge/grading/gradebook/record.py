"""Put results into nbgrader's gradebook and the autograded folder.

1. nbgrader writes its own book: its methods make students and submissions, its preprocessor says
   what the outputs of a cell are worth, and its objects are what is changed.
2. The submissions that are ready together are one transaction. The methods of nbgrader commit for
   themselves, so they get a session whose commits wait for ours (`gradebook.transaction`).
3. There is one writer. It alone reads the grades of a submission by itself, because nbgrader's
   method reads them one by one, and each of them takes longer the larger the class is.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

import nbformat
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
from sqlalchemy import select
from traitlets.config import Config

from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.document.cells import is_in_gradebook, is_task, known_metadata
from nbjudge.grading.gradebook import database, settle
from nbjudge.grading.intake import times
from nbjudge.grading.marks import settled
from nbjudge.grading.marks.results import GRADED, UNGRADED, SubmissionResult
from nbjudge.grading.notebook import attachments
from nbjudge.grading.published import skeletons
from nbjudge.grading.reuse.journal import Journal

# What nbgrader names a student's feedback by in the exchange: made when the lab is handed in there,
# known to that student alone.
SECRET = "submission_secret.txt"

Name = tuple[str, str]  # of a notebook, and of a cell in it
Row = TypeVar("Row")


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

    def record(self, results: Sequence[SubmissionResult]) -> None:
        """Write results of several students: the students if new, their submissions, every cell's
        score (stale ones replaced), late penalties, the notebooks. When it returns, the gradebook
        holds them, and the results have its marks; when it raises, it holds none of them.

        Running it twice leaves the same gradebook. Raises RecordError when the gradebook lacks the
        assignment's notebooks.
        """
        digests = {}
        by_student = {result.student: result for result in results}
        with database.transaction(self._opened()) as book:
            assignment = self._find_assignment(book)
            # First what takes long: from the first row on, nobody else can write.
            for result in results:
                self._check(result, assignment)
                self._folder.write(result)
            for result in results:
                digests[result.student] = self._write(book, result)
            self._penalties.set(book, by_student)
            settle.read_marks(book, self._assignment, by_student)
        for student, seen in digests.items():
            self._settled.file(student, seen)

    @property
    def changed_penalties(self) -> settle.Changed:
        """Late penalties that recording changed."""
        return self._penalties.changed

    def close(self) -> None:
        """Disconnect; what is recorded next connects again."""
        book, self._book = self._book, None
        if book is not None:
            book.close()

    def _opened(self) -> Gradebook:
        if self._book is None:
            self._book = Gradebook(self._course.gradebook_url, self._course.course_id)
        return self._book

    def _find_assignment(self, book: Gradebook) -> Assignment:
        try:
            return book.find_assignment(self._assignment)
        except MissingEntry:
            raise RecordError(
                f"the gradebook has no assignment {self._assignment}: {self._course.publishing(self._assignment)}"
            ) from None

    def _check(self, result: SubmissionResult, assignment: Assignment) -> None:
        published = {notebook.name for notebook in assignment.notebooks}
        if missing := result.documents.keys() - published:
            raise RecordError(
                f"the gradebook has no notebook {sorted(missing)[0]!r} in {self._assignment}: {self._course.publishing(self._assignment)}"
            )

    def _write(self, book: Gradebook, result: SubmissionResult) -> dict[Name, str]:
        """Write one submission into the gradebook, apart from its late penalty. Returns the digests
        of what a person who marks it looks at (`settled`).
        """
        when = times.parsed(result.timestamp)
        entries = Entries.of(book, self._submission(book, result.student, when))
        before = settled.settled(entries.grades)
        self._save_grades(entries, result)
        filed = self._settled.read(result.student)
        now = settled.digests(result.documents)
        settled.keep(entries.grades, before, filed, now)
        return {**filed, **now}

    def _submission(
        self, book: Gradebook, student: str, when: datetime | None
    ) -> SubmittedAssignment:
        """The student's submission, new or not. Where nobody knows `when` it was handed in, the time
        that the gradebook has stays.
        """
        known = {"timestamp": when} if when else {}
        book.update_or_create_student(student)
        # nbgrader asks for the assignment's cells while it makes the submission, which is in no
        # session then.
        with book.db.no_autoflush:
            return book.update_or_create_submission(self._assignment, student, **known)

    def _save_grades(self, entries: Entries, result: SubmissionResult) -> None:
        """Let nbgrader's SaveAutoGrades say what the outputs of each cell are worth. It leaves a task
        to a person, also where nothing was handed in for it: that is 0 like any other.
        """
        step = self._step
        step.gradebook = entries
        step.assignment_id = self._assignment
        step.student_id = result.student
        for name, document in result.documents.items():
            step.notebook_id = name
            for index, cell in enumerate(document["cells"]):
                if is_in_gradebook(cell):
                    step.preprocess_cell(nbformat.from_dict(cell), {}, index)
                grade_id = known_metadata(cell)["grade_id"] if is_task(cell) else ""
                if marked := result.cells.get(f"{name}/{grade_id}"):
                    grade = entries.find_grade(grade_id, name)
                    grade.auto_score = marked.score if marked.status == GRADED else None
                    if grade.manual_score is None:
                        grade.needs_manual_grade = grade.auto_score is None
                    if marked.status == GRADED:
                        entries.find_comment(grade_id, name).auto_comment = "No response."

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


@dataclass
class Entries:
    """nbgrader's grades and comments of one submission, read at once. They answer what its
    SaveAutoGrades asks of a gradebook.
    """

    grades: dict[Name, Grade]
    comments: dict[Name, Comment]

    @classmethod
    def of(cls, book: Gradebook, submission: SubmittedAssignment) -> Entries:
        grades = _entries(book, Grade, submission)
        return cls(grades, _entries(book, Comment, submission))

    def find_grade(self, cell: str, notebook: str, *_of_one_submission: str) -> Grade:
        return _found(self.grades, (notebook, cell))

    def find_comment(self, cell: str, notebook: str, *_of_one_submission: str) -> Comment:
        return _found(self.comments, (notebook, cell))

    @property
    def db(self) -> Entries:
        return self

    def commit(self) -> None:
        """Nothing: all of a transaction is committed at its end."""


def _entries(
    book: Gradebook, kind: type[Grade | Comment], submission: SubmittedAssignment
) -> dict[Name, Grade | Comment]:
    found = (
        select(Notebook.name, BaseCell.name, kind)
        .select_from(kind)
        .join(BaseCell, kind.cell_id == BaseCell.id)
        .join(SubmittedNotebook, kind.notebook_id == SubmittedNotebook.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .where(
            SubmittedNotebook.assignment_id == submission.id,
            *settle.by_index(submission.assignment, kind),
        )
    )
    return {(notebook, cell): row for notebook, cell, row in book.db.execute(found)}


def _found(rows: Mapping[Name, Row], name: Name) -> Row:
    if name not in rows:
        raise MissingEntry(f"the gradebook has no cell {name[1]!r} in {name[0]!r}")
    return rows[name]


def final_marks(
    course: Course,
    assignment: str,
    results: Iterable[SubmissionResult],
    config: Config | None = None,
) -> settle.Changed:
    """Bring results that were recorded in line with the gradebook: manual marks, extra credit, and
    penalties as they are due today. Returns the penalties that changed.
    """
    recorded = {
        result.student: result
        for result in results
        if _has_marks(result) and result.score is not None
    }
    if not recorded:
        return settle.Changed()
    penalties = settle.Penalties(course, assignment, config)
    with gradebook(course) as book:
        penalties.set(book, recorded)
        book.db.commit()
        settle.read_marks(book, assignment, recorded)
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


class _Folder:
    """`autograded/<student>/<assignment>` of one student after the other."""

    def __init__(self, course: Course, assignment: str, files: Mapping[str, bytes]):
        self._course = course
        self._assignment = assignment
        self._files = files

    def write(self, result: SubmissionResult) -> None:
        """Replace the folder whole, so that nothing of an older run stays."""
        target = self._course.autograded / result.student / self._assignment
        temporary = target.with_name(f".{self._assignment}.tmp")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        for name, text in result.texts.items():
            (temporary / f"{name}.ipynb").write_text(text + "\n", "utf-8")
        attachments.write(temporary, self._files, result.files)
        if result.timestamp and times.parsed(result.timestamp):
            (temporary / times.FILE).write_text(result.timestamp)
        if result.secret:
            write_private(temporary / SECRET, result.secret.encode())
        shutil.rmtree(target, ignore_errors=True)
        temporary.rename(target)


def submission_score(course: Course, assignment: str, student: str) -> float:
    """The score that the gradebook holds, manual marks included, before late penalties."""
    with gradebook(course) as book:
        return book.find_submission(assignment, student).score

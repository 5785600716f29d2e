"""`course export`: the gradebook's scores as CSV, for people, Canvas or Moodle.

1. A mark is the gradebook's, after the late penalty as it is due now: it is worked out anew first,
   and what that changes is said.
2. What is not complete is said by name (`incomplete`); the file is written all the same.
3. The file is UTF-8 with a byte order mark, without which Excel takes it for another encoding and
   garbles names. Canvas and Moodle read it with the mark, and so does `--roster`.
4. Canvas and Moodle take each column for one of theirs, so nothing but marks is in them. The form
   for people has the times that counted, the state of each mark, and why it is what it is.
5. What the roster said of a student for the platform alone comes back: Canvas's *SIS User ID* and
   *Section*, Brightspace's `#` in front of an id. What it did not say stays empty.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbgrader.api import Assignment, Gradebook, Student, SubmittedAssignment

from nbjudge import plain_text
from nbjudge.course import incomplete
from nbjudge.course.class_files import PLATFORM_CELLS, SECTIONS
from nbjudge.course.incomplete import State
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import record, settle
from nbjudge.grading.gradebook.record import gradebook
from nbjudge.grading.marks import reasons
from nbjudge.grading.marks.results import Settled, SubmissionResult

PENALTY = "late penalty"
# What spreadsheets start a formula with; the last four are their full-width forms, which some take
# for the same.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One student's mark in one assignment, after late penalties; `score` is None without a
    submission.

    `parts` are the marks that add up to it, by column; `limits` the most that each column gives, in
    the assignment's order. Times are texts in UTC.
    """

    assignment: str
    student: str
    last_name: str
    first_name: str
    email: str
    lms_user_id: str
    score: float | None
    max_score: float
    needs_manual: bool
    submitted: str
    penalty: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    due: str = ""
    extended_to: str = ""
    states: tuple[State, ...] = ()
    why: str = ""
    section: str = ""
    platform: Mapping[str, str] = field(default_factory=dict)


def export(
    course: Course,
    to: str,
    target: Path,
    by: str = "assignment",
    noticed: Callable[[str], None] = lambda _line: None,
) -> int:
    """Write the file; returns the number of rows. `noticed` hears what is to be known of the marks
    before somebody else gets them: which are not complete, and what late penalties took. Cells that a spreadsheet would run as a formula
    are quoted with an apostrophe.

    `by` is assignment, notebook or question: what has a column of its own. The last two have one
    for the late penalty too, as a number below zero, so that the columns of an assignment add up to
    the mark. Raises KeyError for an unknown format or `by`, SettingsError or PenaltyError where
    nobody can say what being late costs.
    """
    marks = list(_rows(course, PARTS[by], noticed))
    header, rows = FORMATS[to](marks)
    is_special = target.exists() and not target.is_file()
    place = target if is_special else target.with_name(f".{target.name}.new")
    try:
        with open(place, "w", newline="", encoding="utf-8-sig") as file:
            csv.writer(file).writerows(list(map(_inert, row)) for row in (header, *rows))
        if not is_special:
            os.replace(place, target)
    except OSError as error:
        if not is_special:
            place.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from None
    for line in (
        *_late(marks),
        *incomplete.lines((row.assignment, row.student, row.states) for row in marks),
    ):
        noticed(line)
    return len(rows)


def _late(rows: list[Row]) -> Iterator[str]:
    """What late penalties took, by assignment."""
    together: dict[str, list[Row]] = {}
    for row in rows:
        if row.penalty:
            together.setdefault(row.assignment, []).append(row)
    for assignment, late in together.items():
        names = [f"{-row.penalty:g} {row.student}" for row in late]
        yield (
            f"{assignment}: late penalties are taken off {len(late)} of these marks: {reasons.listed(names, incomplete.NAMED)}; "
            "`--to csv` has the times that counted"
        )


def _inert(cell: object) -> object:
    return sanitized(plain_text.line(cell) if isinstance(cell, str) else cell)


def sanitized(cell: object) -> object:
    """Text that a spreadsheet would take for a formula, as text; what no terminal or spreadsheet
    should get is replaced.
    """
    if not isinstance(cell, str):
        return cell
    shown = "".join(char if char.isprintable() or char in "\t\r\n" else "�" for char in cell)
    starts = shown.lstrip("\t\r\n \u00a0\u3000�").startswith(FORMULA) or shown.startswith(
        ("\t", "\r", "\n")
    )
    return f"'{shown}" if starts else shown


Parts = Callable[[Assignment], dict[str, float]]
Marks = Callable[[SubmittedAssignment], dict[str, float]]


def _questions(assignment: Assignment) -> dict[str, float]:
    """The most that each graded cell gives."""
    books = sorted(assignment.notebooks, key=lambda notebook: notebook.name)
    return {
        f"{book.name}/{cell.name}": cell.max_score
        for book in books
        for cell in (*book.grade_cells, *book.task_cells)
    }


def _question_marks(submission: SubmittedAssignment) -> dict[str, float]:
    return {
        f"{book.name}/{grade.name}": grade.score
        for book in submission.notebooks
        for grade in book.grades
    }


def _notebooks(assignment: Assignment) -> dict[str, float]:
    return {
        book.name: book.max_score
        for book in sorted(assignment.notebooks, key=lambda notebook: notebook.name)
    }


def _notebook_marks(submission: SubmittedAssignment) -> dict[str, float]:
    return {book.name: book.score for book in submission.notebooks}


PARTS: dict[str, tuple[Parts, Marks]] = {
    "assignment": (lambda _assignment: {}, lambda _submission: {}),
    "notebook": (_notebooks, _notebook_marks),
    "question": (_questions, _question_marks),
}


def _rows(
    course: Course, parts: tuple[Parts, Marks], noticed: Callable[[str], None]
) -> Iterator[Row]:
    with gradebook(course) as book:
        students = sorted(book.students, key=lambda student: student.id)
        for assignment in book.assignments:
            for line in _settled(course, book, assignment):
                noticed(line)
            yield from _of_assignment(course, book, assignment, students, parts)


def _settled(course: Course, book: Gradebook, assignment: Assignment) -> Iterator[str]:
    """Work out late penalties as they are due now, and say what that changed."""
    if assignment.duedate is not None:
        changed = settle.up_to_date(book, course, assignment, course.settings).lines()
        book.db.commit()
        if changed:
            yield (
                f"{assignment.name}: late penalties were worked out anew, because marks, the due date, times or extensions changed: "
                f"{reasons.listed(changed, incomplete.NAMED)}"
            )


def _of_assignment(
    course: Course,
    book: Gradebook,
    assignment: Assignment,
    students: list[Student],
    parts: tuple[Parts, Marks],
) -> Iterator[Row]:
    limits_of, marks_of = parts
    limits = limits_of(assignment)
    submissions = {each.student_id: each for each in assignment.submissions}
    results = record.last_results(course, book, assignment.name, submissions)
    sections = SECTIONS.read(course)
    platform = PLATFORM_CELLS.read(course)
    for student in students:
        submission = submissions.get(student.id)
        result = results.get(student.id)
        states = incomplete.states(course, assignment.name, student.id, submission, result)
        row = Row(
            assignment=assignment.name,
            student=student.id,
            last_name=str(student.last_name or ""),
            first_name=str(student.first_name or ""),
            email=str(student.email or ""),
            lms_user_id=str(student.lms_user_id or ""),
            score=None,
            max_score=assignment.max_score,
            needs_manual=False,
            submitted="",
            limits=limits,
            due=settle.utc(assignment.duedate) or "",
            states=states,
            section=sections.get(student.id, ""),
            platform=platform.get(student.id, {}),
        )
        if submission is None or result is None:
            yield row
        else:
            yield _marked(row, submission, result, marks_of)


def _marked(
    row: Row, submission: SubmittedAssignment, result: SubmissionResult, marks_of: Marks
) -> Row:
    """The row with the submission's mark."""
    # An assignment never gives less than nothing, whatever the penalty.
    penalty = min(submission.late_submission_penalty or 0.0, submission.score)
    # Of what something else graded, nothing but the lateness is known.
    why = reasons.why(result) if result.cells else result.lateness
    settled = result.settled or Settled()
    return replace(
        row,
        score=submission.score - penalty,
        needs_manual=bool(submission.needs_manual_grade),
        submitted=settled.handed_in or "",
        penalty=penalty,
        parts=marks_of(submission),
        extended_to=settled.extended_to or "",
        why=why or "",
    )


def _csv(rows: list[Row]) -> tuple[list[str], list[list]]:
    """One line a student and assignment; the columns of parts are those of all assignments, empty
    where they belong to another.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row.limits))
    lines = [
        [*_fixed(row).values(), *(_number(row.parts.get(column)) for column in columns)]
        for row in rows
    ]
    return [*HEADINGS, *columns], lines


# The columns that every export as CSV has.
HEADINGS = (
    "assignment",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "score",
    "max_score",
    "needs_manual_grade",
    "timestamp",
    "late_penalty",
    "lms_user_id",
    "due",
    "extended_to",
    "state",
    "why",
)


def _fixed(row: Row) -> dict[str, object]:
    """Their cells."""
    written = row.platform.get("written_id", row.student)
    who = (row.assignment, written, row.last_name, row.first_name, row.email)
    mark = (_number(row.score), row.max_score, row.needs_manual, row.submitted)
    times = (row.due, row.extended_to)
    said = (", ".join(row.states) or "complete", row.why)
    cells = (*who, *mark, _number(row.penalty), row.lms_user_id, *times, *said)
    return dict(zip(HEADINGS, cells, strict=True))


def _columns(row: Row) -> dict[str, tuple[float | None, float]]:
    """A row's columns on a platform: heading -> (mark, the most that it gives)."""
    if not row.limits:
        return {row.assignment: (row.score, row.max_score)}
    columns = {
        f"{row.assignment}/{name}": (row.parts.get(name), limit)
        for name, limit in row.limits.items()
    }
    return columns | {
        f"{row.assignment}/{PENALTY}": (None if row.score is None else -row.penalty or 0.0, 0.0)
    }


def _canvas(rows: list[Row]) -> tuple[list[str], list[list]]:
    """One line a student, one column an assignment or part, behind Canvas's own five; Canvas
    expects "Points Possible" second.
    """
    limits: dict[str, float] = {}
    students: dict[str, tuple[Row, dict[str, float | None]]] = {}
    for row in rows:
        _, marks = students.setdefault(row.student, (row, {}))
        for name, (mark, limit) in _columns(row).items():
            limits[name] = limit
            marks[name] = mark
    lines: list[list] = [["    Points Possible", "", "", "", "", *limits.values()]]
    for student, (row, marks) in students.items():
        name = f"{row.last_name}, {row.first_name}".strip(", ") or student
        cells = [_number(marks.get(column)) for column in limits]
        sis = row.platform.get("sis_user_id", "")
        lines.append([name, row.lms_user_id, sis, student, row.section, *cells])
    return ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *limits], lines


def _moodle(rows: list[Row]) -> tuple[list[str], list[list]]:
    header, lines = _canvas(rows)
    emails = {row.student: row.email for row in rows}
    return ["Username", "Email address", *header[5:]], [
        [line[3], emails[line[3]], *line[5:]] for line in lines[1:]
    ]


FORMATS: dict[str, Callable[[list[Row]], tuple[list[str], list[list]]]] = {
    "csv": _csv,
    "canvas": _canvas,
    "moodle": _moodle,
}


def _number(score: float | None) -> float | str:
    return "" if score is None else round(score, 4)

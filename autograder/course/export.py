"""`course export`: the gradebook's scores as CSV, for people, Canvas or Moodle."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import MissingEntry

from autograder.grading.folders import Course
from autograder.grading.record import gradebook


@dataclass(frozen=True)
class Row:
    """One student's mark in one assignment, after late penalties; `score` is None without a submission."""

    assignment: str
    student: str
    last_name: str
    first_name: str
    email: str
    score: float | None
    max_score: float
    needs_manual: bool
    submitted: str


def export(course: Course, to: str, target: Path) -> int:
    """Write the file; returns the number of rows. Cells that a spreadsheet would run as a formula are quoted with an apostrophe.

    Raises KeyError for an unknown format.
    """
    header, rows = FORMATS[to](list(_rows(course)))
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([_inert(cell) for cell in row] for row in rows)
    return len(rows)


def _rows(course: Course) -> Iterator[Row]:
    with gradebook(course) as book:
        for assignment in book.assignments:
            for student in sorted(book.students, key=lambda student: student.id):
                try:
                    submission = book.find_submission(assignment.name, student.id)
                except MissingEntry:
                    score, manual, when = None, False, ""
                else:
                    score = max(0.0, submission.score - submission.late_submission_penalty)
                    manual, when = submission.needs_manual_grade, submission.timestamp or ""
                names = (student.last_name or "", student.first_name or "", student.email or "")
                yield Row(assignment.name, student.id, *names, score, assignment.max_score, manual, str(when))


def _csv(rows: list[Row]) -> tuple[list[str], list[list]]:
    header = ["assignment", "student_id", "last_name", "first_name", "email", "score", "max_score", "needs_manual_grade", "timestamp"]
    return header, [
        [r.assignment, r.student, r.last_name, r.first_name, r.email, _number(r.score), r.max_score, r.needs_manual, r.submitted]
        for r in rows
    ]


def _canvas(rows: list[Row]) -> tuple[list[str], list[list]]:
    """One line a student, one column an assignment, below Canvas's own five; "Points Possible" is the line that Canvas expects second."""
    assignments = list(dict.fromkeys(row.assignment for row in rows))
    limits = {row.assignment: row.max_score for row in rows}
    students: dict[str, dict[str, Row]] = {}
    for row in rows:
        students.setdefault(row.student, {})[row.assignment] = row
    lines: list[list] = [["    Points Possible", "", "", "", "", *[limits[name] for name in assignments]]]
    for student, marks in students.items():
        any_row = next(iter(marks.values()))
        name = f"{any_row.last_name}, {any_row.first_name}".strip(", ") or student
        lines.append([name, "", student, student, "", *[_number(marks[name].score) if name in marks else "" for name in assignments]])
    return ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *assignments], lines


def _moodle(rows: list[Row]) -> tuple[list[str], list[list]]:
    header, lines = _canvas(rows)
    emails = {row.student: row.email for row in rows}
    return ["Username", "Email address", *header[5:]], [[line[2], emails[line[2]], *line[5:]] for line in lines[1:]]


FORMATS: dict[str, Callable[[list[Row]], tuple[list[str], list[list]]]] = {"csv": _csv, "canvas": _canvas, "moodle": _moodle}


def _number(score: float | None) -> float | str:
    return "" if score is None else round(score, 4)


def _inert(cell: object) -> object:
    """Text that starts like a formula, as text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell

"""What students ticked, read back: into the report on the class and, where the assignment has a cell
for it, into the gradebook as a mark by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from nbgrader.api import MissingEntry

from nbjudge.course import spreadsheets
from nbjudge.course.defend.sheets import FOLDER, DefendError, kept_sheets
from nbjudge.defending.questions import LETTERS, WANTED
from nbjudge.grading.config import locks
from nbjudge.grading.config.folders import Course, write_private
from nbjudge.grading.document.cells import grade_id, is_marked_by_hand, known_metadata
from nbjudge.grading.gradebook import record
from nbjudge.grading.published import skeletons

# The name of a cell that a person marks, which gets the share of right answers as its mark.
CELL = "defend"
_SCORES = "ticks.json"


@dataclass(frozen=True)
class Score:
    """How many of the questions about an exercise a student answered right."""

    student: str
    exercise: str
    right: int
    asked: int


@dataclass(frozen=True)
class Taken:
    """`waiting` are students in whose row nothing is ticked. `notebook` is the one whose cell got
    the marks; empty where no notebook has one.
    """

    scores: list[Score]
    waiting: list[str]
    notebook: str


def take(course: Course, assignment: str, path: Path) -> Taken:
    """Read a filled-in `ticks.csv`. Raises DefendError, and TableError, before anything is written."""
    sheets = {sheet.student: sheet for sheet in kept_sheets(course, assignment)}
    scores = []
    waiting = []
    for line, row in _rows(path):
        sheet = sheets.get(row["student"])
        if sheet is None or sheet.page != row["page"]:
            raise DefendError(
                f"{path}, line {line}: page {row['page']} of {row['student']} is none that is known here: "
                "the ticks belong to other pages than the last that were written"
            )
        ticked = [row[f"question {number + 1}"].strip().lower() for number in range(WANTED)]
        asked = len(sheet.asked)
        if wrong := [each for each in ticked[:asked] if each and each not in LETTERS]:
            raise DefendError(
                f"{path}, line {line}: {wrong[0]!r} is no option: write one of {', '.join(LETTERS)}, or nothing"
            )
        if not any(ticked[:asked]):
            waiting.append(sheet.student)
            continue
        right = sum(tick == one["right"] for tick, one in zip(ticked, sheet.asked, strict=False))
        scores.append(Score(sheet.student, sheet.exercise, right, asked))
    taken = {score.student: score for score in [*known(course, assignment), *scores]}
    data = json.dumps([asdict(score) for score in taken.values()]).encode()
    notebook = _into_gradebook(course, assignment, scores)
    write_private(course.private(FOLDER, assignment) / _SCORES, data)
    return Taken(scores, waiting, notebook)


def known(course: Course, assignment: str) -> list[Score]:
    """What was read back so far."""
    path = course.root / ".nbjudge" / FOLDER / assignment / _SCORES
    return [Score(**each) for each in json.loads(path.read_bytes())] if path.is_file() else []


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    headings = {"student", "page", *(f"question {number + 1}" for number in range(WANTED))}
    table = spreadsheets.read(path, headings)
    if missing := sorted(headings - set(table.headings)):
        raise DefendError(
            f"{path} has no column {missing[0]!r}: fill in ticks.csv as it was written"
        )
    for line, cells in table.rows:
        row = dict(zip(table.headings, [*cells, *[""] * len(headings)], strict=False))
        if row["student"]:
            yield line, row


def _into_gradebook(course: Course, assignment: str, scores: list[Score]) -> str:
    """The notebook whose cell has the marks now."""
    skeleton = skeletons.current(course, assignment)
    found = [
        (name, float(known_metadata(cell)["points"]))
        for name, notebook in (skeleton.notebooks if skeleton else {}).items()
        for cell in notebook["cells"]
        if grade_id(cell) == CELL and is_marked_by_hand(cell)
    ]
    if not found or not scores:
        return ""
    notebook, points = found[0]
    with locks.alone(course), record.gradebook(course) as book:
        for score in scores:
            try:
                grade = book.find_grade(CELL, notebook, assignment, score.student)
            except MissingEntry:
                raise DefendError(f"the gradebook has no cell {CELL} of {score.student}") from None
            grade.manual_score = points * score.right / score.asked
            grade.needs_manual_grade = False
        book.db.commit()
    return notebook

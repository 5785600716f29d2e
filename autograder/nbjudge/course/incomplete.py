"""Marks that are not complete when they are handed over: said for each assignment, by name, with
what to type.

A mark is complete when a submission is in the gradebook, is the one that lies in `submitted/`, could
be graded whole, and waits for nobody. Everything else is one of the states below. A mark can be in
several of them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from nbgrader.api import SubmittedAssignment

from nbjudge.grading.config.folders import Course
from nbjudge.grading.intake import times, untrusted
from nbjudge.grading.marks import reasons
from nbjudge.grading.marks.results import UNGRADABLE, SubmissionResult

NAMED = 6


class State(StrEnum):
    """What keeps a mark from being complete, as the export's column says it."""

    WAITS = "waits for a person"
    NOT_GRADED = "handed in, not graded"
    CHANGED = "changed since it was graded"
    REFUSED = "not all of it could be graded"
    NOTHING = "no submission"


# What is said of such marks, and what to type. `{}` is the assignment.
_SAID = {
    State.WAITS: (
        "waiting for a person, so that points are missing",
        "Type `course lab --instructor`, and open Manual Grading",
    ),
    State.NOT_GRADED: (
        "handed in and not graded, so that the cell is empty",
        "Type `course grade {}`",
    ),
    State.CHANGED: (
        "not the mark of what lies in submitted/ now, which came in at another time",
        "Type `course grade {}`",
    ),
    State.REFUSED: (
        "0 points for a notebook that could not be graded",
        "Type `course grade {}` to read why, which grades nothing twice",
    ),
    State.NOTHING: (
        "no submission, so that the cell is empty",
        "Type `course collect {}` if something came in",
    ),
}


def states(
    course: Course,
    assignment: str,
    student: str,
    submission: SubmittedAssignment | None,
    result: SubmissionResult | None,
) -> tuple[State, ...]:
    """What keeps this mark from being complete; `result` is what grading said last."""
    folder = course.submitted / student / assignment
    is_there = untrusted.is_plain(student) and os.path.lexists(folder)
    if submission is None:
        return (State.NOT_GRADED if is_there else State.NOTHING,)
    books = result.notebooks.values() if result else ()
    holds = {
        State.WAITS: bool(submission.needs_manual_grade),
        State.CHANGED: is_there and _is_another(folder, submission.timestamp),
        State.REFUSED: any(book.status == UNGRADABLE for book in books),
    }
    return tuple(state for state, is_so in holds.items() if is_so)


def lines(marks: Iterable[tuple[str, str, tuple[State, ...]]]) -> Iterator[str]:
    """What to say of marks, each an assignment, a student and its states: a line for each
    assignment and state.
    """
    students: dict[str, list[str]] = {}
    found: dict[str, dict[State, list[str]]] = {}
    for assignment, student, own in marks:
        students.setdefault(assignment, []).append(student)
        for state in own:
            found.setdefault(assignment, {}).setdefault(state, []).append(student)
    for assignment, by_state in found.items():
        everybody = students[assignment]
        if len(by_state.get(State.NOTHING, ())) == len(everybody):
            yield f"{assignment}: nobody has handed in anything"
            continue
        for state in sorted(by_state, key=list(State).index):
            names = by_state[state]
            said, typed = (text.format(assignment) for text in _SAID[state])
            yield (
                f"{assignment}: {said}: {len(names)} of {len(everybody)} marks "
                f"({reasons.listed(names, NAMED)}). {typed}"
            )


def _is_another(folder: Path, recorded: datetime | None) -> bool:
    """Whether the time of what was collected is not the one that was graded."""
    with suppress(OSError):
        descriptor = os.open(folder / times.FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                came_in = times.parsed(times.believed(file.read(64), status)[0])
                return came_in is not None and came_in != recorded
    return False

"""`course due`: when assignments are due, on the clocks of the class, and whom an extension
concerns.

nbgrader keeps a due date as UTC without a zone. It is set and removed through nbgrader's API, and
the late penalties that hang on it are worked out anew at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from nbgrader.api import Assignment, Gradebook, MissingEntry

from nbjudge import nearest
from nbjudge.grading.config import zones
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database, extensions, settle
from nbjudge.grading.gradebook.record import gradebook
from nbjudge.grading.intake import times


class DueError(RuntimeError):
    """A due date cannot be set or shown. The text says why, and what to type."""


@dataclass(frozen=True, kw_only=True)
class Due:
    """One assignment: when it is due (UTC, without a zone), whose extensions there are, and how
    many submissions the gradebook holds and how many of these are late.
    """

    assignment: str
    when: datetime | None
    extensions: Mapping[str, dict[str, object]]
    submissions: int
    late: int

    def to_json(self, zone: tzinfo) -> dict[str, object]:
        return {
            "assignment": self.assignment,
            "due_utc": f"{self.when:%Y-%m-%d %H:%M:%S}" if self.when else None,
            "due": zones.shown(self.when, zone) if self.when else None,
            "extensions": {
                student: words(entry, self.when, zone)
                for student, entry in sorted(self.extensions.items())
            },
            "submissions": self.submissions,
            "late": self.late,
        }


@dataclass(frozen=True)
class Dues:
    """`zone` is the one that times are shown in; `said` is what else there is to know, a line
    each.
    """

    zone: tzinfo
    assignments: Sequence[Due]
    said: Sequence[str] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "zone": str(self.zone),
            "assignments": [each.to_json(self.zone) for each in self.assignments],
            "remarks": list(self.said),
        }


def listed(course: Course, assignment: str | None = None) -> Dues:
    """When all assignments, or one, are due. Raises DueError, SettingsError or ExtensionError."""
    zone = zone_of(course)
    granted = extensions.read(course)
    with _opened(course) as book:
        chosen = (
            [found(book, assignment)]
            if assignment
            else sorted(book.assignments, key=lambda each: each.name)
        )
        dues = [_due(each, granted.get(each.name, {})) for each in chosen]
    said = [] if dues else [f"nothing was published in {course.root}: type `course publish`"]
    return Dues(zone, dues, said)


def set_due(course: Course, assignment: str, typed: str | None) -> Dues:
    """Set the due date, or remove it where nothing was typed. Raises DueError, SettingsError,
    ExtensionError or PenaltyError, and then nothing is changed.
    """
    zone = zone_of(course)
    try:
        when = zones.utc(typed, zone) if typed else None
    except zones.ZoneError as error:
        raise DueError(str(error)) from None
    granted = extensions.read(course).get(assignment, {})
    penalties = settle.Penalties(course, assignment, course.settings)
    with _opened(course) as book:
        assigned = found(book, assignment)
        before = assigned.duedate
        assigned.duedate = when
        book.db.flush()
        # One transaction: where the plugin for late penalties fails, the date is as it was.
        penalties.set(book, [each.student_id for each in assigned.submissions])
        book.db.commit()
        now = _due(assigned, granted)
    said = list(_said(now, before, typed, zone))
    return Dues(zone, [now], said)


def _said(now: Due, before: datetime | None, typed: str | None, zone: tzinfo) -> list[str]:
    """What an instructor should know of a date that was just set."""
    said = []
    if now.when is None:
        said.append(
            f"{now.assignment} has no due date any more, so nobody is late"
            + (f"; it was {zones.shown(before, zone)}" if before else "")
        )
    else:
        if typed and not zones.names_zone(typed):
            said.append(
                f"no zone was typed, so it is {zone}, the zone of the class ({zones.SETTING} in nbgrader_config.py; UTC where that is not set)"
            )
        if zones.differs_here(now.when, zone):
            said.append(f"on this machine's clock it is {zones.here(now.when)}")
        if before and before != now.when:
            said.append(f"before, it was due at {zones.shown(before, zone)}")
        if now.when < times.now():
            said.append("that is in the past, so whoever hands in from now on is late")
    without = [
        student
        for student, entry in sorted(now.extensions.items())
        if now.when and "until" in entry and extensions.length(entry, now.when) is None
    ]
    if without:
        said.append(
            f"the extension of {', '.join(without)} ends before that date, so it changes nothing"
        )
    return said


def words(entry: Mapping[str, object], when: datetime | None, zone: tzinfo) -> str:
    """An extension, with the time at which it ends."""
    if "until" in entry:
        return f"until {zones.shown(datetime.fromisoformat(str(entry['until'])), zone)}"
    longer = extensions.length(dict(entry), when)
    until = f", until {zones.shown(when + longer, zone)}" if when and longer else ""
    return extensions.words(dict(entry)) + until


def zone_of(course: Course) -> tzinfo:
    """The zone of the class. Raises DueError or SettingsError."""
    try:
        return zones.of_class(course.settings)
    except zones.ZoneError as error:
        raise DueError(str(error)) from None


def found(book: Gradebook, assignment: str) -> Assignment:
    """The assignment in the gradebook. Raises DueError."""
    try:
        return book.find_assignment(assignment)
    except MissingEntry:
        known = sorted(each.name for each in book.assignments)
        near = nearest.names(assignment, known)
        meant = f"did you mean {' or '.join(near)}? " if near else ""
        raise DueError(
            f"the gradebook has no assignment {assignment!r}: {meant}it has: {', '.join(known) or 'none'}"
        ) from None


def _opened(course: Course):
    if not database.exists(course):
        raise DueError(
            f"nothing was published in {course.root}: type `course publish`, or use --course"
        )
    return gradebook(course)


def _due(assignment: Assignment, granted: Mapping[str, dict[str, object]]) -> Due:
    return Due(
        assignment=assignment.name,
        when=assignment.duedate,
        extensions={
            student: entry for student, entry in granted.items() if entry.get("minutes") != 0
        },
        submissions=len(assignment.submissions),
        late=sum(each.total_seconds_late > 0 for each in assignment.submissions),
    )

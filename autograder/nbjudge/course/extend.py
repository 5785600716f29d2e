"""`course extend`: an extension for one student, in the course's table and, where there is a
submission, in the gradebook at once.

It is for somebody of the class: enrolled, or with something handed in. Any other name is most often
mistyped, and the student who was meant would be late, so it is refused with the names that are near;
`unenrolled` says that it is meant.
"""

from __future__ import annotations

import unicodedata

from nbjudge import nearest
from nbjudge.course import roster
from nbjudge.course.due import DueError, found, zone_of
from nbjudge.course.roster import Roster
from nbjudge.grading.config import zones
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database, extensions, settle
from nbjudge.grading.gradebook.extensions import ExtensionError
from nbjudge.grading.gradebook.record import gradebook
from nbjudge.grading.intake.untrusted import shown


def extend(
    course: Course,
    assignment: str,
    student: str,
    *,
    minutes: float | None = None,
    until: str | None = None,
    unenrolled: bool = False,
) -> str:
    """Grant it (0 minutes take it back) and work out the late penalty anew. Returns what was done,
    in words.

    Raises ExtensionError, SettingsError or PenaltyError.
    """
    if not database.exists(course):
        raise ExtensionError(
            f"nothing was published in {course.root}: {course.publishing(assignment)}, or name another course folder with --course"
        )
    try:
        zone = zone_of(course)
        with gradebook(course) as book:
            due = found(book, assignment).duedate
    except DueError as problem:
        raise ExtensionError(str(problem)) from None
    known = roster.of_course(course)
    name = _of_class(known, student)
    has_one = student in extensions.read(course).get(assignment, {})
    if name is None and not unenrolled and not has_one:
        raise ExtensionError(_stranger(known, student, assignment))
    name = name or student
    penalties = settle.Penalties(course, assignment, course.settings)
    granted = extensions.grant(course, assignment, name, minutes=minutes, until=until, zone=zone)
    with gradebook(course) as book:
        penalties.set(book, [name])
        book.db.commit()
    said = [f"{name}: {granted} for {assignment}"]
    entry = extensions.read(course)[assignment][name]
    if due is None:
        said.append(
            f"it has no due date yet, so nobody is late: type `course due {assignment} '2026-11-21 18:00'`"
        )
    elif longer := extensions.length(entry, due):
        said.append(f"what comes in until {zones.shown(due + longer, zone)} is in time")
    if until and not zones.names_zone(until):
        said.append(f"no zone was typed, so it is {zone}, the zone of the class")
    said += [f"late penalty: {line}" for line in penalties.changed.lines()]
    if name not in known.people:
        said.append("the gradebook does not know this student yet")
    return "; ".join(said)


def _of_class(known: Roster, student: str) -> str | None:
    """The student's name as the class has it, whatever form its accents have here."""
    names = {*known.people, *known.others}
    if student in names:
        return student
    form = unicodedata.normalize("NFC", student)
    return next((name for name in names if unicodedata.normalize("NFC", name) == form), None)


def _stranger(known: Roster, student: str, assignment: str) -> str:
    name = shown(student)
    near = nearest.names(student, {*known.people, *known.others})
    meant = f"did you mean {' or '.join(map(shown, near))}? " if near else ""
    return (
        f"nobody called {name!r} is enrolled or has handed in: {meant}`course roster` lists the class, `course roster FILE.csv` enrols a late "
        f"joiner; to grant {assignment} all the same, add --not-enrolled"
    )

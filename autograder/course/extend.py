"""`course extend`: an extension for one student, in the course's table and, where there is a
submission, in the gradebook at once.
"""

from __future__ import annotations

from nbgrader.api import Assignment, Gradebook, MissingEntry

from autograder.grading import extensions, settings, settle
from autograder.grading import gradebook as database
from autograder.grading.extensions import ExtensionError
from autograder.grading.folders import Course
from autograder.grading.record import gradebook


def extend(
    course: Course,
    assignment: str,
    student: str,
    minutes: float | None = None,
    until: str | None = None,
) -> str:
    """Grant it (0 minutes take it back) and work out the late penalty anew. Returns what was done,
    in words.

    Raises ExtensionError, SettingsError or PenaltyError.
    """
    if not database.exists(course):
        raise ExtensionError(
            f"nothing was published in {course.root}: {course.publishing(assignment)}, or name another course folder with --course"
        )
    config = settings.of(course)
    with gradebook(course) as book:
        found = _found(book, assignment)
        granted = extensions.grant(course, assignment, student, minutes, until)
        said = [f"{student}: {granted} for {assignment}"]
        if found.duedate is None:
            said.append(
                "it has no due date yet, so nobody is late: set one in formgrader, Manage Assignments"
            )
        settle.Penalties(course, assignment, config).set(book, [student])
        book.db.commit()
        if student not in {each.id for each in book.students}:
            said.append("the gradebook does not know this student yet")
    return "; ".join(said)


def _found(book: Gradebook, assignment: str) -> Assignment:
    try:
        return book.find_assignment(assignment)
    except MissingEntry:
        known = ", ".join(sorted(each.name for each in book.assignments)) or "none"
        raise ExtensionError(
            f"the gradebook has no assignment {assignment!r}; it has: {known}"
        ) from None

"""`course gradebook copy`: the gradebook, whole, into another database, which the course folder
uses from then on.
"""

from __future__ import annotations

from nbjudge.course import config as course_config
from nbjudge.grading.config.folders import Course
from nbjudge.grading.config.locks import alone
from nbjudge.grading.gradebook import database


def copy(course: Course, target: str) -> str:
    """Copy, and write the new address into nbgrader_config.py. Returns what was done.

    The old gradebook stays as it was. Raises gradebook.GradebookProblem, or order.Refused
    while a class is graded.
    """
    with alone(course):
        rows = database.copy(course.gradebook_url, target)
        path = course_config.write(course)
        with open(path, "a") as file:
            file.write(f"\nget_config().CourseDirectory.db_url = {target!r}\n")
        if Course(course.root).gradebook_url != target:
            raise database.GradebookProblem(
                f"copied {rows} rows into {database.shown(target)}, and nbgrader_config.json beside {path} still names another gradebook: "
                f"write the new address there, as CourseDirectory.db_url"
            )
    return f"copied {rows} rows into {database.shown(target)}; {path} names it now, and the old gradebook is as it was"

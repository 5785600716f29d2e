"""nbgrader's configuration for a course folder: as a traitlets Config for our own calls, and as a
file for `nbgrader` and formgrader.
"""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config

from autograder.grading import settings as grading_settings
from autograder.grading.folders import CONFIG, Course, Project

# A file whose content is this, so that `nbgrader` typed in the course folder reads the same
# settings.
TEMPLATE = '''"""Written by `course`; read by nbgrader and formgrader. Change settings of your own below the last line."""

from autograder.course import pages
from autograder.course.nbgrader_hooks import install

c = get_config()  # noqa: F821
install()  # `nbgrader autograde` and formgrader work through this course
c.HTMLExporter.update(pages.settings())  # what students wrote is never live HTML, and formulas need no network

{lines}
'''


def settings(course: Course, project: Project | None = None) -> dict[str, dict[str, object]]:
    """The options that differ from nbgrader's defaults, by class."""
    source = {"source_directory": str(project.solutions)} if project else {}
    # nbgrader's default is the same file, and a folder that says nothing can be moved.
    database = {} if course.has_own_gradebook else {"db_url": course.gradebook_url}
    return {
        "CourseDirectory": {
            "root": str(course.root),
            "course_id": course.course_id,
            **database,
            **source,
        },
        "Exchange": {"root": str(course.exchange), "cache": str(course.exchange / "cache")},
    }


def config(course: Course, project: Project | None = None) -> Config:
    """The course's `nbgrader_config.py`, with the folders as they are now. Raises SettingsError."""
    from autograder.course import pages  # formgrader, which students and other systems lack

    merged = grading_settings.of(course)
    merged.merge(Config({**settings(course, project), "HTMLExporter": pages.settings()}))
    return merged


def write(course: Course, project: Project | None = None, course_id: str | None = None) -> Path:
    """Put `nbgrader_config.py` into the course folder, if none is there; `course_id` names the
    class in it.
    """
    course.root.mkdir(parents=True, exist_ok=True)
    path = course.root / CONFIG
    if not path.exists():
        options = settings(course, project)
        options["CourseDirectory"]["course_id"] = course_id or course.course_id
        lines = "\n".join(
            f"c.{section}.{key} = {value!r}"
            for section, values in options.items()
            for key, value in values.items()
        )
        path.write_text(TEMPLATE.format(lines=lines))
    return path

"""nbgrader's configuration for a course folder: as a traitlets Config for our own calls, and as a
file for `nbgrader` and formgrader.
"""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config

from nbjudge.grading import CONFIG
from nbjudge.grading.config.folders import Course, Project

# A file whose content is this, so that `nbgrader` typed in the course folder reads the same
# settings.
TEMPLATE = '''"""Written by `course`; read by nbgrader and formgrader. Change settings of your own below the last line."""

from pathlib import Path

from nbjudge.course import pages
from nbjudge.course.nbgrader_hooks import install

c = get_config()  # noqa: F821
install()  # `nbgrader autograde` and formgrader work through this course
c.HTMLExporter.update(pages.settings())  # what students wrote is never live HTML, and formulas need no network
here = Path(__file__).parent  # so that the folder may be moved

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
        "Exchange": {"root": str(course.exchange), "cache": str(course.exchange_cache)},
    }


def config(course: Course, project: Project | None = None) -> Config:
    """The course's `nbgrader_config.py`, with the folders as they are now. Raises SettingsError."""
    from nbjudge.course import pages  # formgrader, which students and other systems lack

    merged = course.settings
    merged.merge(Config({**settings(course, project), "HTMLExporter": pages.settings()}))
    return merged


def write(course: Course, project: Project | None = None, course_id: str | None = None) -> Path:
    """Put `nbgrader_config.py` into the course folder, if none is there; `course_id` names the
    class in it. Returns its path.
    """
    course.root.mkdir(parents=True, exist_ok=True)
    path = course.root / CONFIG
    if not path.exists():
        options = settings(course, project)
        options["CourseDirectory"]["course_id"] = course_id or course.course_id
        lines = [
            f"c.{section}.{key} = {_written(value, course.root)}"
            for section, values in options.items()
            for key, value in values.items()
        ]
        path.write_text(TEMPLATE.format(lines="\n".join(lines)))
    return path


def _written(value: object, root: Path) -> str:
    """A value as Python; a path in the course folder by that folder."""
    if isinstance(value, str) and (path := Path(value)).is_relative_to(root):
        within = path.relative_to(root).as_posix()
        return "str(here)" if within == "." else f"str(here / {within!r})"
    return repr(value)


def complete(course: Course, project: Project, exchange: bool = True) -> list[str]:
    """Write into the settings what they leave open and what publishing has just decided: the name
    of the class, its gradebook, where its assignments are written (unless the folder has nbgrader's
    own `source`) and, with `exchange`, where the exchange is. Environment variables
    and options decide that once; whoever types the next command need not have them. Returns the new
    lines.
    """
    present = course.settings
    decided = {
        ("CourseDirectory", "course_id"): course.course_id,
        ("CourseDirectory", "db_url"): None if course.has_own_gradebook else course.gradebook_url,
        ("CourseDirectory", "source_directory"): None
        if (course.root / "source").exists()
        else str(project.solutions),
        ("Exchange", "root"): str(course.exchange) if exchange else None,
    }
    lines = [
        f"get_config().{section}.{name} = {_written(value, course.root)}"
        for (section, name), value in decided.items()
        if value is not None and name not in present.get(section, {})
    ]
    if lines:
        here = ["from pathlib import Path", "here = Path(__file__).parent"]
        needed = here if any("(here" in line for line in lines) else []
        text = "\n".join(["", "# Written by `course publish`:", *needed, *lines, ""])
        with open(course.root / CONFIG, "a") as file:
            file.write(text)
    return lines

"""nbgrader's configuration for a course folder: as a traitlets Config for our own calls, and as a
file for `nbgrader` and formgrader.
"""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config

from nbjudge.course import fail_closed
from nbjudge.grading import CONFIG
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.config.settings import SettingsError

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
    _stop_where_it_fails(course)
    return path


def _stop_where_it_fails(course: Course) -> None:
    """Put the setting beside the file by which nbgrader grades nothing where the file cannot be read.
    A file that puts no sandbox in nbgrader's place is somebody's own. Raises SettingsError.
    """
    lines = (course.root / CONFIG).read_text(errors="replace").splitlines()
    if not any(fail_closed.HOOKS in line and not line.lstrip().startswith("#") for line in lines):
        return
    path = course.root / fail_closed.JSON
    before = path.read_bytes() if path.exists() else None
    try:
        text = fail_closed.with_setting(
            path, fail_closed.without_setting(before), fail_closed.lock_for(course.settings)
        )
    except fail_closed.NoneFree as problem:
        raise SettingsError(f"{problem}, and type the command again") from None
    if text != before:
        path.write_bytes(text)


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

"""Is a course folder one that a command can work on? Asked first, so that a damaged one is named
before anything is written.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database


class Unsound(RuntimeError):
    """The course folder cannot be used as it is. The text says which part, why, and what to do."""


def require_sound(course: Course, gradebook: bool = False) -> None:
    """Raises Unsound when the folder or its gradebook is damaged, GradebookProblem when its
    database does not answer, and FolderError for its settings. Changes nothing, makes nothing.

    With `gradebook` there must be one.
    """
    _require_folders(course)
    _ = course.course_id
    if not course.has_own_gradebook:
        database.check(course)
    elif os.path.lexists(course.gradebook):
        _require_gradebook(course.gradebook)
    if gradebook and not database.exists(course):
        raise Unsound(
            f"{course.root} has no gradebook: grade something first, or name another folder with --course"
        )


def _require_folders(course: Course) -> None:
    places = (course.root, course.submitted, course.autograded, course.feedback)
    for folder in (*places, course.root / ".nbjudge"):
        if os.path.lexists(folder) and not folder.is_dir():
            raise Unsound(
                f"{folder} is no folder: move it away, or name another course folder with --course"
            )


def require_target(path: Path) -> None:
    """Raises Unsound when a file cannot be written there. Asked before work whose result would be
    lost.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise Unsound(
            f"there is no folder {folder} to write {path.name} into: make it, or name another file"
        )
    if path.is_dir():
        raise Unsound(f"{path} is a folder: name a file in it")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise Unsound(
            f"{path} cannot be written: name another file, or give yourself the right to it"
        )


def _require_gradebook(path: Path) -> None:
    _require_database(path)
    said, version = _looked_into(path)
    if said != "ok":
        raise Unsound(f"{path} is damaged ({' '.join(said.split())[:120]}): {_restore(path)}")
    known, newest = _revisions()
    if version not in known:
        raise Unsound(
            f"{path} was written by a newer nbgrader: install that one, or restore an older gradebook from a backup"
        )
    if version not in newest:
        raise Unsound(_older(path))


def _require_database(path: Path) -> None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Unsound(f"{path} is no file: {_restore(path)}")
        with open(path, "rb") as file:
            start = file.read(16)
    except OSError as error:
        raise Unsound(
            f"{path} cannot be read ({error.strerror}): give yourself the right to it, or restore it from a backup"
        ) from None
    if start != b"SQLite format 3\0":
        raise Unsound(f"{path} is {'empty' if not start else 'no gradebook'}: {_restore(path)}")


def _looked_into(path: Path) -> tuple[str, str | None]:
    """What SQLite says of the file, and the version of nbgrader's tables in it."""
    address = f"file:{quote(str(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=20)) as book:
            (said,) = book.execute("PRAGMA quick_check(1)").fetchone()
            row = book.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        if "no such table" in str(error):
            raise Unsound(_older(path)) from None
        if "locked" in str(error):
            raise Unsound(
                f"{path} is being written by another program: wait for it, then type the command again"
            ) from None
        raise Unsound(f"{path} is damaged ({error}): {_restore(path)}") from None
    return said, row[0] if row else None


def _restore(path: Path) -> str:
    """What to do about a gradebook that nothing can be read from."""
    course = Course(path.parent)
    again = course.typed("grade", "ASSIGNMENT", "--force")
    return f"restore it from a backup, or move it away and type `{course.typed('publish')}`, then `{again}`"


def _older(path: Path) -> str:
    return f"{path} was written by an older nbgrader: copy it, then type `nbgrader db upgrade` in {path.parent}"


def _revisions() -> tuple[set[str], set[str]]:
    """Every version of the gradebook that nbgrader's migrations know, and those with none after."""
    folder = files("nbgrader") / "alembic" / "versions"
    texts = [entry.read_text() for entry in folder.iterdir() if entry.name.endswith(".py")]
    known = {
        found[1]
        for text in texts
        if (found := re.search(r"^revision = '(\w+)'", text, re.MULTILINE))
    }
    before = {
        found[1]
        for text in texts
        if (found := re.search(r"^down_revision = '(\w+)'", text, re.MULTILINE))
    }
    return known, known - before

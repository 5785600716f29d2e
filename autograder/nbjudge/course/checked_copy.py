"""What nbgrader reads of a student's folder: a copy, made as `course grade` takes submissions in.

nbgrader's converters open and copy what lies in `submitted/` under the instructor's account, and
follow links while they do it, whoever laid the folder there: `nbgrader collect`, an archive, git.
So they get a copy beside it, in which there are only regular files of limited size and number, and
notebooks that were measured.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

from nbjudge import limits
from nbjudge.grading.intake import times, untrusted
from nbjudge.grading.notebook import parser

NOTEBOOK = ".ipynb"
PREFIX = ".checked-copy-"
MAX_TIMESTAMP = 1 << 10
A_DAY = 24 * 3600


class NotTaken(RuntimeError):
    """Nothing of a student's folder can be taken. The text says why, and what to do."""


@dataclass
class CheckedCopy:
    """`step` stands in the place of nbgrader's `submitted`; `folder` is what the copy of the
    student's folder is called then. `left_out` has a line for each file that was not taken,
    `refused` for each notebook.
    """

    step: str
    folder: Path
    left_out: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@contextmanager
def checked_copy(
    coursedir: CourseDirectory, student: str, assignment: str
) -> Iterator[CheckedCopy]:
    """A copy of what the student handed in, gone at the end. Raises NotTaken."""
    if not untrusted.is_plain(student):
        raise NotTaken(f"the folder {untrusted.shown(student)!r} has no student's name: rename it")
    own = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
    with _empty(coursedir, student, assignment) as copy:
        try:
            _fill(copy, own)
        except OSError as error:
            if error.errno == errno.E2BIG:
                raise NotTaken(f"{own} holds {error.strerror}: nothing of it was taken") from None
            raise NotTaken(
                f"{own} is a link or cannot be read ({error.strerror}): put the folder itself there"
            ) from None
        yield copy


def whose(coursedir: CourseDirectory, step: str, folder: str) -> tuple[str, str]:
    """The assignment and the student of a folder, as nbgrader tells them by its path."""
    pattern = coursedir.format_path(step, "(?P<student>.*)", "(?P<assignment>.*)", escape=True)
    found = re.match(pattern, folder)
    if found is None:
        raise NbGraderException(f"{folder} is no folder of a submission: its path is not {pattern}")
    return found["assignment"], found["student"]


def own_folders(coursedir: CourseDirectory, step: str, student: str, assignment: str) -> list[Path]:
    """The folders on the way to a student's, from the one on that bears the student's name: those above
    are the course's.
    """
    parts = Path(coursedir.format_path(step, student, assignment)).parts
    others = Path(coursedir.format_path(step, f"{student}-", assignment)).parts
    first = next(place for place, part in enumerate(parts) if part != others[place])
    return [Path(*parts[: end + 1]) for end in range(first, len(parts))]


def require_own(
    coursedir: CourseDirectory, steps: Sequence[str], student: str, assignment: str
) -> None:
    """Raises NotTaken where a folder of the student's is a link, and so perhaps another student's."""
    for step in steps:
        for folder in own_folders(coursedir, step, student, assignment):
            if folder.is_symlink():
                raise NotTaken(f"{folder} is a link: put the folder itself there")


@contextmanager
def _empty(coursedir: CourseDirectory, student: str, assignment: str) -> Iterator[CheckedCopy]:
    """An empty folder where nbgrader looks, whichever structure the course's folders have."""
    root = Path(coursedir.root)
    for left in root.glob(f"{PREFIX}*"):  # of a run that was killed
        if left.lstat().st_mtime < time.time() - A_DAY:
            shutil.rmtree(left, ignore_errors=True)
    token = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))
    folder = Path(coursedir.format_path(token.name, student, assignment))
    made = next(
        parent for parent in (folder, *folder.parents) if parent == token or parent.parent.exists()
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield CheckedCopy(token.name, folder)
    finally:
        shutil.rmtree(token, ignore_errors=True)
        if made != token:
            shutil.rmtree(made, ignore_errors=True)


def _fill(copy: CheckedCopy, own: Path) -> None:
    """Raises OSError where the folder cannot be read, and NotTaken where it is too large."""
    left = limits.SUBMISSION
    others = 0
    for entry in untrusted.entries(own):
        shown = untrusted.shown(entry.path)
        is_notebook = "/" not in entry.path and entry.path.endswith(NOTEBOOK)
        others += not is_notebook
        problem = entry.problem
        if entry.link is not None:
            problem = "is a link: hand in the file itself"
        elif not untrusted.is_plain(entry.path, slashes=True):
            problem = "has a name with characters that cannot be shown: rename it"
        elif others > limits.FILES and not is_notebook:
            # Notebooks go on: no other file may cost one its place.
            if others == limits.FILES + 1:
                copy.left_out.append(f"more than {limits.FILES} files: the rest, from {shown} on")
            continue
        if problem is not None:
            (copy.refused if is_notebook else copy.left_out).append(f"{shown} {problem}")
            continue
        data = bytes(entry.data or b"")
        left -= len(data)
        if left < 0:
            raise NotTaken(f"{own} is larger than {limits.SUBMISSION >> 20} MB")
        if is_notebook and (why := bomb(data)):
            copy.refused.append(f"{shown}: {why}")
            continue
        target = copy.folder / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def bomb(data: bytes) -> str | None:
    """Why nbgrader, which parses a notebook as it is, may not have this one."""
    try:
        parser.refuse_bomb(data)
    except parser.Unreadable as problem:
        return str(problem)
    return None


def not_regular(folder: Path, *above: Path) -> list[str]:
    """What in a folder is neither a folder nor a regular file, itself and those `above` included,
    as a line each. Nothing where the folder is not there.
    """
    inside = (
        Path(place, name)
        for place, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )
    found = []
    for path in (*above, folder, *inside):
        with suppress(FileNotFoundError):
            mode = os.lstat(path).st_mode
            if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                found.append(f"{untrusted.shown(str(path), 300)} is a link, or no file")
    return found


def existing_timestamp(coursedir: CourseDirectory, dest_path: str) -> datetime | None:
    """What `timestamp.txt` in a folder says, as nbgrader reads it; nothing where that is no small
    regular file. Raises ValueError where it is no time.
    """
    folder = Path(dest_path)
    try:
        place = untrusted.open_folder(folder.parent, folder.name)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.lstat(times.FILE, dir_fd=place).st_mode):
            problem: str | None = "is no regular file"
        else:
            data, problem = untrusted.read(place, times.FILE, MAX_TIMESTAMP)
    except FileNotFoundError:
        return None
    finally:
        os.close(place)
    text = "" if problem else bytes(data or b"").decode(errors="replace").strip()
    if not text:
        coursedir.log.warning("%s %s", folder / times.FILE, problem or "is empty")
        return None
    try:
        return parse_utc(text)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{folder / times.FILE} is no time: {error}") from None

"""Intake: from a submission's folder to bytes, with links and special files refused and every size
and count capped.

Nothing here looks inside a file. Folders are opened one descriptor at a time without following
links, so that what was looked at is what is read. Whatever is wrong with one student's folder stays
with that student: what he can cause is refused with a reason and costs him alone, what the machine
causes is an IntakeFault, and nobody gets a mark for it.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import itertools
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder import plain_text, wire
from autograder.grading import times

MAX_NOTEBOOK = 32 << 20
MAX_FILE = 64 << 20
MAX_TOTAL = 256 << 20
MAX_FILES = 500
MAX_DEPTH = 6
SECRET_FILE = "submission_secret.txt"
SECRET = re.compile(rb"[0-9A-Za-z]{32,256}")  # nbgrader's own has 128 hex digits
# What a student can bring about with the files alone; every other error is the machine's.
THEIRS = {
    errno.EACCES,
    errno.EPERM,
    errno.ELOOP,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ENXIO,
    errno.EINVAL,
}


class IntakeFault(RuntimeError):
    """A submission could not be read through no fault of its student. The text says why, and what
    to do.
    """


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `refused` maps a notebook to the reason why its bytes were not
    taken.
    """

    student: str
    notebooks: dict[str, wire.Blob] = field(default_factory=dict)
    files: dict[str, wire.Blob] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    timestamp: str | None = None
    secret: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 over everything that was taken or refused."""
        total = hashlib.sha256()
        for name, data in sorted({**self.notebooks, **self.files}.items()):
            total.update(os.fsencode(f"{name}\0{len(data)}\0"))
            for part in wire.parts_of(data):
                total.update(part)
        total.update(
            ascii(
                (sorted(self.refused.items()), self.remarks, self.timestamp, self.secret)
            ).encode()
        )
        return total.hexdigest()


def students(submitted: Path, assignment: str) -> list[str]:
    """Students that have a folder for the assignment, sorted. Folders that are links are listed
    too, and refused by `take`.

    Raises IntakeFault when the folder of all submissions cannot be read.
    """
    try:
        names = [entry.name for entry in os.scandir(submitted) if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise IntakeFault(
            f"{submitted} cannot be read ({error.strerror}): mend that, and type the command again"
        ) from None
    return sorted(name for name in names if _is_there(submitted / name / assignment))


def _is_there(folder: Path) -> bool:
    """What cannot be looked at counts as there: `take` says why."""
    try:
        os.lstat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def take(submitted: Path, student: str, assignment: str, with_files: bool = False) -> Submission:
    """Read a student's folder, small files into memory and large ones into a file without a name.

    `with_files` keeps what is not a notebook too (plain assignments need it).

    Raises IntakeFault for what is no fault of the student: an error of the disk, no file
    descriptors left, a folder that nobody is called.
    """
    if not is_plain(student):
        raise IntakeFault(
            f"the folder {shown(student)!r} has no student's name: rename it, and type the command again"
        )
    try:
        return _take(submitted, student, assignment, with_files)
    except OSError as error:
        if error.errno not in THEIRS:
            raise IntakeFault(
                f"the submission could not be read ({error.strerror}): mend that, and type the command again"
            ) from None
        reason = f"the submission's folder is a link or cannot be read ({error.strerror}): hand in a real folder"
        return Submission(student, refused={"*": reason})


def _take(submitted: Path, student: str, assignment: str, with_files: bool) -> Submission:
    taken = _Taken(with_files)
    root = _open_folder(submitted / student, assignment)
    try:
        for count, (path, descriptor, name, problem) in enumerate(_walk(root)):
            if count >= MAX_FILES:
                taken.remarks.append(f"more than {MAX_FILES} files: the rest was not read")
                break
            taken.file(path, descriptor, name, problem)
    finally:
        os.close(root)
    found = (taken.notebooks, taken.files, taken.refused, tuple(taken.remarks))
    return Submission(student, *found, taken.timestamp, taken.secret)


class _Taken:
    """What was read of a submission's folder so far."""

    def __init__(self, with_files: bool):
        self._with_files, self._bytes, self._store = with_files, 0, wire.Store()
        self.notebooks: dict[str, wire.Blob] = {}
        self.files: dict[str, wire.Blob] = {}
        self.refused: dict[str, str] = {}
        self.remarks: list[str] = []
        self.timestamp: str | None = None
        self.secret: str | None = None

    def file(self, path: str, descriptor: int, name: str, problem: str | None) -> None:
        """Read the file `name` of the folder `descriptor`, unless there is a problem with it."""
        if not is_plain(path, slashes=True):
            self.remarks.append(
                f"{shown(path)}: its name holds characters that cannot be shown, so it was not read: rename it"
            )
            return
        is_notebook = path.endswith(".ipynb") and "/" not in path
        data = None
        if not problem:
            kept = None if path in (times.FILE, SECRET_FILE) else self._store
            data, problem = _read(descriptor, name, MAX_NOTEBOOK if is_notebook else MAX_FILE, kept)
        self._bytes += len(data or b"")
        if problem is None and self._bytes > MAX_TOTAL:
            problem = f"the submission is larger than {MAX_TOTAL >> 20} MB"
        if problem is None:
            self._keep(path, descriptor, name, data, is_notebook)
        elif is_notebook:
            self.refused[path.removesuffix(".ipynb")] = problem
        else:
            self.remarks.append(f"{shown(path)}: {problem}")

    def _keep(
        self, path: str, descriptor: int, name: str, data: wire.Blob, is_notebook: bool
    ) -> None:
        if is_notebook:
            self.notebooks[path.removesuffix(".ipynb")] = data
        elif path == times.FILE:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            self.timestamp, remark = times.believed(data, status)
            self.remarks += [remark] if remark else []
        elif path == SECRET_FILE:
            # By it nbgrader names the feedback's file in the exchange, which only this student can
            # then find.
            self.secret = data.decode("ascii") if SECRET.fullmatch(data) else None
        elif self._with_files:
            self.files[path] = data


@dataclass(frozen=True)
class Entry:
    """Something in a folder that is no folder: its bytes, or where it leads if it is a link, or why
    it was not read.
    """

    path: str
    data: bytes | None = None
    link: str | None = None
    problem: str | None = None


def entries(folder: Path) -> Iterator[Entry]:
    """Everything in a folder that a student may have filled, links not followed. Raises OSError,
    for a folder that is a link too.
    """
    root = _open_folder(folder.parent, folder.name)
    try:
        for path, descriptor, name, problem in _walk(root):
            if problem is None:
                data, problem = _read(descriptor, name, MAX_FILE)
                yield Entry(path, data, problem=problem)
            elif stat.S_ISLNK(os.lstat(name, dir_fd=descriptor).st_mode):
                yield Entry(path, link=os.readlink(name, dir_fd=descriptor))
            else:
                yield Entry(path, problem=problem)
    finally:
        os.close(root)


def _open_folder(parent: Path, name: str) -> int:
    outer = _open(parent, os.O_DIRECTORY)
    try:
        return _open(name, os.O_DIRECTORY, outer)
    finally:
        os.close(outer)


def _open(name: str | Path, more: int = 0, folder: int | None = None) -> int:
    # Looked up here: on Windows, where students hand in and nobody collects, there is no O_NOFOLLOW.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(name, flags | more, dir_fd=folder)


def _walk(
    folder: int, prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, int, str, str | None]]:
    """Every entry below a folder that is not a folder itself: its path, its folder's descriptor,
    its name, what is wrong with it.
    """
    for name in sorted(os.listdir(folder))[: MAX_FILES + 1]:
        path = f"{prefix}{name}"
        mode = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISLNK(mode):
            yield path, folder, name, "is a link: hand in the file itself"
        elif stat.S_ISDIR(mode) and depth < MAX_DEPTH:
            if name in (".ipynb_checkpoints", "__pycache__"):
                continue
            try:
                inner = _open(name, os.O_DIRECTORY, folder)
            except OSError as error:
                yield path, folder, name, _unreadable(error)
                continue
            try:
                yield from _walk(inner, f"{path}/", depth + 1)
            finally:
                os.close(inner)
        elif not stat.S_ISREG(mode):
            yield path, folder, name, "is not a regular file"
        else:
            yield path, folder, name, None


def _read(
    folder: int, name: str, limit: int, store: wire.Store | None = None
) -> tuple[wire.Blob | None, str | None]:
    """A file's bytes, large ones in `store`; or what is wrong with it."""
    try:
        descriptor = _open(name, folder=folder)
    except OSError as error:
        return None, _unreadable(error)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None, "is not a regular file"
        if status.st_nlink > 1:
            return None, "is a hard link: hand in a copy of the file"
        if status.st_size > limit:
            return None, f"is larger than {limit >> 20} MB: clear its outputs and hand it in again"
        parts = itertools.islice(
            iter(functools.partial(file.read, wire.PIECE), b""), limit // wire.PIECE + 1
        )
        data = store.keep(status.st_size, parts) if store else b"".join(parts)
    return (data, None) if len(data) <= limit else (None, f"is larger than {limit >> 20} MB")


def _unreadable(error: OSError) -> str:
    """What is wrong with one file, when its student can bring that about. Raises the error when
    not.
    """
    if error.errno not in THEIRS:
        raise error
    return f"cannot be read ({error.strerror})"


def is_plain(name: str, slashes: bool = False) -> bool:
    """Whether a name can be printed, stored and compared: no control characters, no marks of
    direction, no bytes that are no UTF-8.
    """
    return bool(name) and name.isprintable() and "\\" not in name and (slashes or "/" not in name)


def shown(path: str, most: int = 120) -> str:
    """A name that a student chose, for messages: what cannot be printed is written out, what is too
    long is cut.
    """
    return plain_text.line(path, most)

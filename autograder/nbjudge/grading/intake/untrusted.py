"""A folder that a student may have filled: what is in it, read without following links.

Folders are opened one descriptor at a time, so that what was looked at is what is read. Nothing
here looks inside a file.
"""

from __future__ import annotations

import errno
import functools
import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbjudge import limits, plain_text, wire
from nbjudge.leftovers import is_leftover

MAX_FILE = limits.FILE
MAX_FILES = limits.FILES
MAX_DEPTH = 6
MAX_ENTRIES = 10_000  # files and folders
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
    errno.E2BIG,
}


@dataclass(frozen=True)
class Entry:
    """Something in a folder that is no folder: its bytes, or where it leads if it is a link, or why
    it was not read.
    """

    path: str
    data: wire.Blob | None = None
    link: str | None = None
    problem: str | None = None


def entries(folder: Path) -> Iterator[Entry]:
    """Everything in a folder that a student may have filled, links not followed. Raises OSError,
    for a folder that is a link too.
    """
    root = open_folder(folder.parent, folder.name)
    try:
        for path, descriptor, name, problem in walk(root):
            if problem is None:
                data, problem = read(descriptor, name, MAX_FILE)
                yield Entry(path, data, problem=problem)
            elif stat.S_ISLNK(os.lstat(name, dir_fd=descriptor).st_mode):
                yield Entry(path, link=os.readlink(name, dir_fd=descriptor))
            else:
                yield Entry(path, problem=problem)
    finally:
        os.close(root)


def listed(folder: Path) -> list[os.DirEntry]:
    """What lies in a folder and is not hidden, as far as it can be looked at: some thousand entries."""
    try:
        with os.scandir(folder) as there:
            return [entry for entry in itertools.islice(there, MAX_ENTRIES) if entry.name[0] != "."]
    except OSError:
        return []


def open_folder(parent: Path, name: str) -> int:
    outer = _open(parent, os.O_DIRECTORY)
    try:
        return _open(name, os.O_DIRECTORY, outer)
    finally:
        os.close(outer)


def _open(name: str | Path, more: int = 0, folder: int | None = None) -> int:
    # Looked up here: on Windows, where students hand in and nobody collects, there is no O_NOFOLLOW.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(name, flags | more, dir_fd=folder)


class _Allowance:
    """How many files and folders may still be looked at: empty folders are no files, and there can
    be millions.
    """

    def __init__(self) -> None:
        self._left = MAX_ENTRIES

    def names(self, folder: int | Path) -> list[str]:
        """What is in a folder, sorted. Raises OSError when that is too much."""
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in itertools.islice(entries, self._left + 1))
        self._left -= len(names)
        if self._left < 0:
            raise OSError(errno.E2BIG, f"more than {MAX_ENTRIES:,} files and folders")
        return names


def statuses(folder: Path) -> Iterator[os.stat_result]:
    """Of a folder, and of all in it that `walk` would come across. Links are not followed. Raises
    OSError, when that is too much, too.
    """
    allowance = _Allowance()
    waiting = [(folder, 0)]
    yield os.lstat(folder)
    while waiting:
        place, depth = waiting.pop()
        for name in allowance.names(place):
            status = os.lstat(place / name)
            yield status
            if stat.S_ISDIR(status.st_mode) and depth < MAX_DEPTH:
                waiting.append((place / name, depth + 1))


def walk(
    folder: int, prefix: str = "", depth: int = 0, allowance: _Allowance | None = None
) -> Iterator[tuple[str, int, str, str | None]]:
    """Every entry below a folder that is not a folder itself, and no leftover: its path, its folder's descriptor,
    its name, what is wrong with it. Raises OSError when there is too much.
    """
    allowance = allowance or _Allowance()
    for name in allowance.names(folder):
        if is_leftover(name):
            continue
        path = f"{prefix}{name}"
        mode = os.lstat(name, dir_fd=folder).st_mode
        if stat.S_ISLNK(mode):
            yield path, folder, name, "is a link: hand in the file itself"
        elif stat.S_ISDIR(mode) and depth < MAX_DEPTH:
            try:
                inner = _open(name, os.O_DIRECTORY, folder)
            except OSError as error:
                yield path, folder, name, _unreadable(error)
                continue
            try:
                yield from walk(inner, f"{path}/", depth + 1, allowance)
            finally:
                os.close(inner)
        elif not stat.S_ISREG(mode):
            yield path, folder, name, "is not a regular file"
        else:
            yield path, folder, name, None


def read(
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
    """What is wrong with a file, if a student can bring that about. Else raises the error."""
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

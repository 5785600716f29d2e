"""Whether the Python environment is still the one that grading began with.

A package that goes away while a class is graded makes `import` fail in a student's cell, which
looks like the student's mistake. So where a submission's code failed, nothing is believed until the
environment has been found unchanged.
"""

from __future__ import annotations

import os
import stat
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from autograder.boxes import mounts

_TESTS = frozenset({"__pycache__", "test", "tests", "idle_test"})
_Identity = tuple[int, ...]


@dataclass(frozen=True)
class _Folder:
    """`written` is when its names changed last, in nanoseconds."""

    identity: _Identity
    written: int
    names: frozenset[str]


@dataclass(frozen=True)
class _State:
    """By path: every folder of Python packages and of the system's libraries, and each shared
    library in them.
    """

    folders: Mapping[str, _Folder]
    libraries: Mapping[str, _Identity]


@cache
def remember() -> _State:
    """The environment when this process first asked."""
    state, left = _State({}, {}), _roots()
    while left:
        folder = left.pop()
        entries = _entries(folder)
        state.folders[folder] = _Folder(*_identity(folder), _names(entries))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                left.append(entry.path)
            elif ".so" in entry.name:
                state.libraries[entry.path] = _identity(entry.path)[0]
    return state


def changed() -> bool:
    """Whether something was removed, hidden, replaced, made unreadable or added since; what Python
    itself writes there (`__pycache__`) does not count.
    """
    known = remember()
    return any(_is_other(path, folder) for path, folder in known.folders.items()) or any(
        _identity(path)[0] != identity for path, identity in known.libraries.items()
    )


def _is_other(path: str, known: _Folder) -> bool:
    """A folder is read again only where its time says that its names changed."""
    identity, written = _identity(path)
    if identity != known.identity:
        return True
    return written != known.written and _names(_entries(path)) != known.names


def _roots() -> list[str]:
    """The packages' folders, the standard library and the system's libraries, each once; none
    inside another.
    """
    paths = {
        os.path.realpath(path)
        for path in (
            *mounts.prefixes()[1:],
            *map(sysconfig.get_path, ("stdlib", "platlib", "purelib")),
        )
    }
    multiarch = sysconfig.get_config_var("MULTIARCH")
    libraries = {os.path.realpath(f"/usr/lib/{multiarch}")} if multiarch else set()
    return [
        path for path in sorted(paths) if not any(path.startswith(f"{other}/") for other in paths)
    ] + sorted(libraries - paths)


def _entries(folder: str) -> list[os.DirEntry]:
    try:
        listing = list(os.scandir(folder))
    except OSError:
        return []
    return [
        entry
        for entry in listing
        if entry.name not in _TESTS and not entry.name.endswith((".pyc", ".tmp"))
    ]


def _names(entries: Iterable[os.DirEntry]) -> frozenset[str]:
    return frozenset(entry.name for entry in entries)


def _identity(path: str) -> tuple[_Identity, int]:
    """Which file or folder it is, and when it was written."""
    try:
        status = os.stat(path)
    except OSError:
        return (-1,), -1
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return (status.st_dev, status.st_ino, status.st_mode, size), status.st_mtime_ns

"""Whether the Python environment is still the one that grading began with.

A package that goes away while a class is graded makes `import` fail in a student's cell, which
looks like the student's mistake. So where a submission's code failed, nothing is believed until the
environment has been found unchanged.
"""

from __future__ import annotations

import os
import stat
import sysconfig
from collections.abc import Iterator
from functools import cache

from autograder.boxes import mounts

_TESTS = frozenset({"__pycache__", "test", "tests", "idle_test"})


@cache
def remember() -> int:
    """The state of the environment when this process first asked."""
    return state()


def changed() -> bool:
    return state() != remember()


def state() -> int:
    """A hash over the names in every folder of Python packages and over the identity of folders and
    shared libraries.

    What Python itself writes there (`__pycache__`) does not count; what is removed, hidden,
    replaced or made unreadable does.
    """
    total = 0
    for root in _roots():
        for entry in _entries(root):
            total ^= hash(entry)
    return total


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


def _entries(root: str) -> Iterator[tuple]:
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            listing = list(os.scandir(folder))
        except OSError as error:
            yield folder, error.errno
            continue
        for entry in listing:
            if entry.name in _TESTS or entry.name.endswith((".pyc", ".tmp")):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                folders.append(entry.path)
            yield (
                (entry.path, *_identity(entry))
                if is_folder or ".so" in entry.name
                else (entry.path,)
            )


def _identity(entry: os.DirEntry) -> tuple[int, ...]:
    try:
        status = entry.stat()
    except OSError:
        return (-1,)
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return status.st_dev, status.st_ino, status.st_mode, size

"""Whether what boxes load is still what it was when grading began.

A package that goes away while a class is graded makes `import` fail in a student's cell, which
looks like the student's mistake. So where a submission's code failed, nothing is believed until
everything that its boxes could have loaded has been found unchanged:

1. The folders from which Python imports in a box, the standard library and the packages: a name
   that is added, removed or replaced counts, and so does a module or a library that is modified.
2. The interpreter, and the file that makes an environment of it.
3. Those of the system's libraries that 1 and 2 need, and whatever else is found under their names
   where the loader looks. Nothing else in the system counts: what another program brings along is
   loaded by no box.

What Python writes itself (`__pycache__`) and what is being written (`.tmp`) does not count.
"""

from __future__ import annotations

import os
import site
import stat
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from nbjudge.boxes import libraries

_SKIPPED = frozenset({"__pycache__", "test", "tests", "idle_test"})
# Inside the standard library: a box looks there only where it is a root of its own.
_OF_OTHERS = frozenset({"site-packages", "dist-packages"})
_MODULES = (".py", ".pth")
_Identity = tuple[int, ...]
_ABSENT: _Identity = ()


@dataclass(frozen=True)
class Change:
    """What is no longer as it was: `how` is added, removed or modified. `is_package` where Python
    imports it, and not where the system's loader finds it.
    """

    path: str
    how: str
    is_package: bool

    def __str__(self) -> str:
        return f"{self.path} was {self.how} while submissions were graded"


@dataclass(frozen=True)
class _Folder:
    """`written` is when its names changed last, in nanoseconds."""

    identity: _Identity
    written: int
    names: frozenset[str]


@dataclass(frozen=True)
class _State:
    """By path: every folder of Python packages, parents first; each module and library in them, and
    what they need of the system.
    """

    folders: dict[str, _Folder]
    modules: dict[str, _Identity]
    libraries: dict[str, _Identity]


@cache
def remember() -> _State:
    """The environment when this process first asked, or since `forget`."""
    state = _State({}, {}, {})
    left = _roots()
    for path in _interpreter():
        state.modules[path] = _identity(path)
    while left:
        folder = left.pop()
        entries = _entries(folder)
        state.folders[folder] = _Folder(_of_folder(folder), _written(folder), _names(entries))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                left.append(entry.path)
            elif entry.name.endswith(_MODULES) or ".so" in entry.name:
                state.modules[entry.path] = _identity(entry.path)
    programs = [path for path in state.modules if not path.endswith(_MODULES)]
    for path in libraries.places(programs):
        state.libraries[path] = _identity(path)
    return state


def forget() -> None:
    """Begin anew: what is there now is what boxes are to load. Only for a new run: what this one
    began with is what its results are held against.
    """
    remember.cache_clear()


def changed() -> Change | None:
    """The first thing that is no longer as it was."""
    known = remember()
    for path, folder in known.folders.items():
        if found := _in_folder(path, folder):
            return found
    for files, is_package in ((known.modules, True), (known.libraries, False)):
        for path, identity in files.items():
            if (now := _identity(path)) != identity:
                return Change(path, _how(identity, now), is_package)
    return None


def _in_folder(path: str, known: _Folder) -> Change | None:
    """A folder is read again only where its time says that its names changed."""
    identity = _of_folder(path)
    written = _written(path)
    if identity != known.identity:
        return Change(path, _how(known.identity, identity), True)
    if written == known.written:
        return None
    names = _names(_entries(path))
    for name in sorted(names ^ known.names):
        how = "added" if name in names else "removed"
        return Change(os.path.join(path, name), how, True)
    return None


def _how(before: _Identity, now: _Identity) -> str:
    return "added" if before == _ABSENT else "removed" if now == _ABSENT else "modified"


def _roots() -> list[str]:
    """The folders from which Python imports in a box, each once; none inside another."""
    found = (*map(sysconfig.get_path, ("stdlib", "platstdlib")), *site.getsitepackages())
    paths = {os.path.realpath(path) for path in found}
    return sorted(
        path
        for path in paths
        if os.path.basename(path) in _OF_OTHERS
        or not any(path.startswith(f"{other}/") for other in paths)
    )


def _interpreter() -> tuple[str, ...]:
    return (sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"))


def _entries(folder: str) -> list[os.DirEntry]:
    try:
        listing = list(os.scandir(folder))
    except OSError:
        return []
    return [
        entry
        for entry in listing
        if entry.name not in _SKIPPED | _OF_OTHERS and not entry.name.endswith((".pyc", ".tmp"))
    ]


def _names(entries: Iterable[os.DirEntry]) -> frozenset[str]:
    return frozenset(entry.name for entry in entries)


def _of_folder(path: str) -> _Identity:
    """Which folder it is."""
    status = _status(path)
    return (status.st_dev, status.st_ino, status.st_mode) if status else _ABSENT


def _written(path: str) -> int:
    status = _status(path)
    return status.st_mtime_ns if status else 0


def _identity(path: str) -> _Identity:
    """Which file it is, and what it was when it was written last."""
    if (status := _status(path)) is None:
        return _ABSENT
    written = (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else ()
    return (status.st_dev, status.st_ino, status.st_mode, *written)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None

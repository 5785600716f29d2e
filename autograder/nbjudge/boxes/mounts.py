"""What a box sees of the machine: the interpreter, the environment's packages and the system's
libraries, all read-only.
"""

from __future__ import annotations

import os
import site
import sys
from functools import lru_cache
from pathlib import Path

import nbjudge
from nbjudge import exercises
from nbjudge.boxes.errors import SandboxUnavailable

SCRATCH = "/tmp"
SPOOL = "/spool"
SHARED_MEMORY = "/dev/shm"
WRITABLE = (SCRATCH, SPOOL, SHARED_MEMORY)

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    # Else each first plot shows fontconfig's complaint as the student's output.
    "/etc/fonts",
)


# What is installed that only a box that judges may see, as patterns: what judges, what makes cases,
# what keeps records.
_JUDGING = ("nbjudge/rungs", "nbjudge/grading", "nbjudge/course")
_JUDGE = "judge"
# Names below an exercise's folder that are no part of it where it runs: no box mounts them, no mark
# depends on them, and no other machine gets them. Stored answers are nobody's to have.
NO_PART = frozenset({"answers", "__pycache__"})


@lru_cache(maxsize=2)
def arguments(judging: bool = False) -> tuple[str, ...]:
    """bwrap's arguments for the read-only part of the box's file tree, parents first. Raises
    SandboxUnavailable.

    Only with `judging` does the box see the half of the exercises that judges: never where student
    code runs.
    """
    made: dict[str, None] = {}
    mounts: list[str] = []
    for path in (*_SYSTEM, *_SETTINGS):
        if os.path.islink(path) and path in _SYSTEM:
            mounts += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            _make_parents(path, made)
            mounts += ["--ro-bind", path, path]
    for path in prefixes():
        _make_parents(path, made)
        mounts += ["--ro-bind", path, path]
    # bwrap makes missing parents 0700, which the box's own user could not enter.
    parents = [word for path in made for word in ("--perms", "0755", "--dir", path)]
    return (*parents, *mounts, *(() if judging else _hidden()))


def of_course(judging: bool = False) -> list[str]:
    """bwrap's arguments for the exercises of the course's folder: without the half that judges
    unless `judging`, and without answers.
    """
    words: list[str] = []
    for folder in exercises.own():
        words += ["--perms", "0755", "--dir", f"{exercises.IN_BOX}/{folder.name}"]
        for path in sorted(folder.iterdir()):
            if (
                path.name not in NO_PART
                and (judging or path.stem != _JUDGE)
                and not path.is_symlink()
            ):
                words += ["--ro-bind", str(path), f"{exercises.IN_BOX}/{folder.name}/{path.name}"]
    return ["--perms", "0755", "--dir", str(exercises.IN_BOX), *words] if words else []


def _hidden() -> list[str]:
    """Arguments that put an empty folder over each part that judges, wherever it is mounted."""
    words: list[str] = []
    for site_packages in _site_packages():
        folders = sorted(
            str(path)
            for pattern in (*_JUDGING, *(f"{name}/*/{_JUDGE}" for name in exercises.installed()))
            for path in Path(site_packages).glob(pattern)
            if path.is_dir()
        )
        for folder in folders:
            words += ["--perms", "0755", "--tmpfs", folder]
        for folder in folders:
            words += ["--remount-ro", folder]
    return words


def _site_packages() -> list[str]:
    """Every path in a box under which our packages are found: a folder may have two names."""
    package = os.path.dirname(os.path.realpath(os.path.dirname(nbjudge.__file__)))
    mounted = [
        (path, os.path.realpath(path))
        for path in (*_SYSTEM, *prefixes())
        if os.path.isdir(path) and not os.path.islink(path)
    ]
    return sorted(
        {
            os.path.join(path, os.path.relpath(package, real))
            for path, real in mounted
            if _inside(package, real)
        }
    )


@lru_cache(maxsize=1)
def prefixes() -> tuple[str, ...]:
    """The folders of this interpreter and its packages that are not under the system's own,
    outermost first.

    Raises SandboxUnavailable when one of them is too wide to be mounted, or when `nbjudge` is
    not installed in them.
    """
    own = (sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix)
    wanted: dict[str, None] = {}
    for path in (*own, *_interpreter_prefixes()):
        for name in (os.path.abspath(path), os.path.realpath(path)):
            _refuse_wide(name)
            wanted[name] = None
    _require_installed()
    outer = (*wanted, "/usr")
    return tuple(
        path
        for path in sorted(wanted)
        if path != "/usr" and not any(_inside(path, other) for other in outer if other != path)
    )


def _require_installed() -> None:
    package = os.path.realpath(os.path.dirname(nbjudge.__file__))
    if os.path.dirname(package) not in map(os.path.realpath, site.getsitepackages()):
        raise SandboxUnavailable(
            f"the package nbjudge is loaded from {package}, which no box can see; "
            "type `make install` in the course's folder to put it into this environment"
        )


def _interpreter_prefixes() -> list[str]:
    """The prefix of every link from `sys.executable` to the real interpreter (a `bin` folder's
    parent).
    """
    found = []
    path = sys.executable
    for _ in range(16):
        found.append(os.path.dirname(os.path.dirname(path)))
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return found


def _refuse_wide(path: str) -> None:
    if path != "/usr" and (len(Path(path).parts) <= 2 or path == os.path.expanduser("~")):
        raise SandboxUnavailable(
            f"the Python environment's folder {path} holds more than an environment, and a box would show all of it; "
            "type `make install` in the course's folder to create a virtual environment"
        )


def _make_parents(path: str, made: dict[str, None]) -> None:
    for parent in reversed(Path(path).parents[:-1]):
        made[str(parent)] = None


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

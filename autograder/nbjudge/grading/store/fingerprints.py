"""Hashes of the code and the packages that a mark depends on.

1. Code counts by its files: every byte of every file in a folder, fixtures too. Bytecode does not
   count, nor do stored answers, which only tests read.
2. The harness is this package and those that entry points of the group `nbjudge.packages` name.
   When it changes, everything runs again.
3. An exercise is its folder, and the folders beside it that exercises share. What lies in a folder
   `judge` says how answers are judged; when it alone changes, stored answers are judged again and
   no student's code runs. All the rest says what is asked.
4. The environment is the interpreter and every installed package by name and version. Packages of
   2 and 3 are left out, because they count by their files.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import Distribution, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path

import nbjudge
from nbjudge import exercises
from nbjudge.boxes import mounts
from nbjudge.grading.store.hashes import digest

PACKAGES = "nbjudge.packages"
_JUDGE = "judge"


def of_harness() -> str:
    """What every notebook's run depends on."""
    return _of_folders(packages())


def of_asking(exercise_id: str) -> str:
    """What the answers to an exercise depend on beside that: the half that asks."""
    return _of_folders(_folders(exercise_id), without=_JUDGE)


def of_judging(exercise_id: str) -> str:
    """What the verdict on answers depends on beside that: both halves."""
    return _of_folders(_folders(exercise_id))


def of_installed() -> str:
    """The harness and the installed exercises: machines on which this is equal grade alike."""
    return _of_folders((*packages(), *exercises.installed().values()))


@cache
def of_environment() -> str:
    """The interpreter and every installed package that is not of ours."""
    groups = (PACKAGES, exercises.GROUP)
    entries = [entry for group in groups for entry in entry_points(group=group)]
    ours = {nbjudge.__name__, *(entry.dist.name for entry in entries if entry.dist)}
    found = sorted({_named(each) for each in distributions()})
    others = [f"{name}=={version}" for name, version in found if name not in ours]
    return digest([platform.python_version(), platform.machine(), *others])


@cache
def packages() -> tuple[Path, ...]:
    """The folders of the packages that are the harness."""
    named = {entry.value for entry in entry_points(group=PACKAGES)}
    specs = [spec for name in sorted(named) if (spec := find_spec(name))]
    folders = [spec.submodule_search_locations for spec in specs]
    plugins = [Path(each[0]).resolve() for each in folders if each]
    return (Path(nbjudge.__file__).parent, *plugins)


def _folders(exercise_id: str) -> list[Path]:
    """The folder of an exercise, and the packages beside it that hold no exercise."""
    own = exercises.find(exercise_id)
    if own is None:
        return []
    beside = {path.parent for path in own.parent.glob("*/*.py")}
    return [own, *sorted(path for path in beside if not (path / "ask.py").is_file())]


def _of_folders(folders: Iterable[Path], without: str = "") -> str:
    """Of the files by their paths below their folders, so that it is the same on each machine."""
    not_counted = {*mounts.NO_PART, without}
    files = [
        (path.relative_to(folder.parent), path)
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not not_counted & set(path.relative_to(folder).parts)
    ]
    return digest([f"{name} {_of_file(path, _stamp(path))}" for name, path in sorted(files)])


def _stamp(path: Path) -> tuple[int, int, int]:
    """Another one where a file was changed."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


@cache
def _of_file(path: Path, _version: tuple[int, int, int]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _named(package: Distribution) -> tuple[str, str]:
    """Name and version, as the package's `metadata` has them: all of that takes long to read."""
    said = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
    found = dict(re.findall(r"^(Name|Version):[ \t]*(.*?)[ \t]*$", said.partition("\n\n")[0], re.M))
    return found.get("Name", ""), found.get("Version", "")

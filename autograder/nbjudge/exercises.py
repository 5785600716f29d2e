"""Exercises are found by their folders: those of installed packages, and those of the course in
which one works.

1. An exercise `shapes` is a folder `shapes` with `ask.py` in it, which holds an instance `EXERCISE`.
2. A package with exercises names itself by an entry point of the group `nbjudge.exercises`. Its
   exercises come first.
3. A course adds its own: the nearest folder upwards from the working directory that holds
   `exercises/*/ask.py`. They are imported as modules of a package `exercises`.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from nbjudge.contract import Exercise
from nbjudge.contract.authored import ExerciseBroken, defined

GROUP = "nbjudge.exercises"
# The package that the exercises of a course's folder are modules of, and that folder's name.
OF_COURSE = "exercises"
# Where a box finds the exercises of a course that are not installed.
IN_BOX = Path("/") / OF_COURSE
_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_course: Path | None = None


class UnknownExercise(KeyError):
    """No exercise has that id. The text lists those that exist."""

    def __str__(self) -> str:
        return f"there is no exercise {self.args[0]!r}; the exercises are: {', '.join(ids())}"


def get(exercise_id: str) -> Exercise:
    """The exercise with that id. Raises UnknownExercise, and ExerciseBroken."""
    folder = find(exercise_id)
    if folder is None:
        raise UnknownExercise(exercise_id)
    _make_importable(folder)
    exercise: Exercise = defined(f"{module_of(folder)}.ask", "EXERCISE")
    for name in ("functions", "minutes"):
        if not hasattr(exercise, name):
            where = f"{folder.parent.name}/{exercise_id}/ask.py"
            raise ExerciseBroken(f"{where}: EXERCISE has no `{name}`")
    return exercise


def ids() -> list[str]:
    """The ids of all exercises that can be found, sorted."""
    return sorted({path.parent.name for folder in folders() for path in folder.glob("*/ask.py")})


def find(exercise_id: str) -> Path | None:
    """The folder of the exercise with that id, or None."""
    if not isinstance(exercise_id, str) or not _ID.fullmatch(exercise_id):
        return None
    return next(
        (
            path
            for folder in folders()
            if (path := folder / exercise_id) and (path / "ask.py").is_file()
        ),
        None,
    )


def module_of(folder: Path) -> str:
    """The name under which an exercise's folder is imported."""
    named = {path: name for name, path in installed().items()}
    return f"{named.get(folder.parent, OF_COURSE)}.{folder.name}"


@cache
def installed() -> Mapping[str, Path]:
    """The folders of the installed packages that hold exercises, by the packages' names, sorted."""
    found = sorted({entry.value for entry in metadata.entry_points(group=GROUP)})
    specs = {name: find_spec(name) for name in found}
    return {
        name: Path(next(iter(spec.submodule_search_locations))).resolve()
        for name, spec in specs.items()
        if spec and spec.submodule_search_locations
    }


def folders() -> list[Path]:
    """Where exercises are looked for, in this order."""
    course = _course or of_course(Path.cwd())
    return [*installed().values(), *([course] if course and course.is_dir() else [])]


def own() -> list[Path]:
    """The folders of the course that are not installed: its exercises, and what these share."""
    course = _course or of_course(Path.cwd())
    found = sorted(course.iterdir()) if course and course.is_dir() else []
    return [
        path
        for path in found
        if path.is_dir()
        and path.name[0].isalpha()
        and not any((folder / path.name).is_dir() for folder in installed().values())
    ]


def of_course(start: Path) -> Path | None:
    """The nearest `exercises/` that holds one, in `start` or above it."""
    return next(
        (
            path
            for above in (start, *start.parents)
            if any((path := above / OF_COURSE).glob("*/ask.py"))
        ),
        None,
    )


def use(folder: Path | None) -> None:
    """From now on the course's exercises are those in `folder`, wherever one works; None for the
    working directory's again.
    """
    global _course
    _course = folder


def _make_importable(folder: Path) -> None:
    """Let `exercises` be the folder of the course that this exercise lies in. Of a course that was
    looked at before, nothing stays loaded.
    """
    place = str(folder.parent)
    if folder.parent in installed().values():
        return
    package = sys.modules.get(OF_COURSE)
    if package is not None and list(package.__path__) == [place]:
        return
    for name in [each for each in sys.modules if f"{each}.".startswith(f"{OF_COURSE}.")]:
        del sys.modules[name]
    package = sys.modules[OF_COURSE] = ModuleType(OF_COURSE, "The exercises of this course.")
    package.__path__ = [place]
    importlib.invalidate_caches()

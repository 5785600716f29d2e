"""Exercises are found by their folders: `exercises/<id>/` beside this package, and of the course in
which one works.

An exercise `shapes` is a folder `exercises/shapes` with `ask.py` in it, which holds an instance
`EXERCISE`. Those that are installed with this package come first. A course adds its own: the
nearest folder upwards from the working directory that holds `exercises/*/ask.py`. All of them are
imported as modules of one package, `exercises`.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

from nbjudge.contract import Exercise
from nbjudge.contract.authored import ExerciseBroken, defined

PACKAGE = "exercises"
INSTALLED = Path(__file__).resolve().parents[1] / PACKAGE
# Where a box finds the exercises of a course that are not installed.
IN_BOX = Path("/") / PACKAGE
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
    exercise = defined(f"{PACKAGE}.{exercise_id}.ask", "EXERCISE")
    for name in ("functions", "minutes"):
        if not hasattr(exercise, name):
            raise ExerciseBroken(f"{PACKAGE}/{exercise_id}/ask.py: EXERCISE has no `{name}`")
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


def folders() -> list[Path]:
    """Where exercises are looked for, in this order."""
    course = _course or of_course(Path.cwd())
    return [folder for folder in (INSTALLED, course) if folder and folder.is_dir()]


def own() -> list[Path]:
    """The folders of the course that are not installed with this package: its exercises, and what
    these share.
    """
    course = _course or of_course(Path.cwd())
    found = sorted(course.iterdir()) if course and course.is_dir() else []
    return [
        path
        for path in found
        if path.is_dir() and path.name[0].isalpha() and not (INSTALLED / path.name).is_dir()
    ]


def of_course(start: Path) -> Path | None:
    """The nearest `exercises/` that holds one, in `start` or above it."""
    return next(
        (
            path
            for above in (start, *start.parents)
            if any((path := above / PACKAGE).glob("*/ask.py"))
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
    """Let `exercises.<id>` be what lies in `folder`. Of a course that was looked at before, nothing
    stays loaded.
    """
    package = sys.modules.get(PACKAGE) or _package()
    if folder.parent != INSTALLED and str(folder.parent) != package.__path__[-1]:
        for name in [
            each
            for each in sys.modules
            if each.startswith(f"{PACKAGE}.") and not (INSTALLED / each.split(".")[1]).exists()
        ]:
            del sys.modules[name]
        package.__path__ = [str(INSTALLED), str(folder.parent)]


def _package() -> ModuleType:
    """The package that all exercises are modules of. Without an installed exercise it is an empty
    one.
    """
    try:
        return importlib.import_module(PACKAGE)
    except ModuleNotFoundError:
        package = sys.modules[PACKAGE] = ModuleType(PACKAGE, "The exercises of this course.")
        package.__path__ = [str(INSTALLED)]
        return package

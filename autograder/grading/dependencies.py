"""What a result depends on of the code that is installed here: modules and what they import, found
without running them.

A module counts as what it does: its syntax tree without docstrings and comments. Files that are no
code (models, texts) count as the bytes that they are, for every package of which a module is used.
"""

from __future__ import annotations

import ast
import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import autograder
from autograder import exercises
from autograder.grading import syntax

_PACKAGES = ("autograder", "workbench", exercises.PACKAGE)
_NO_CODE = frozenset({"__pycache__", "answers"})
# The way from a notebook to answers, and from answers to a mark, whatever the exercise.
_RUNNING = (
    "autograder.grading.engine",
    "autograder.boxes.box",
    "autograder.boxes.limits",
    "autograder.boxes.inside.notebook",
    "autograder.boxes.inside.runner",
    "autograder.boxes.inside.kernel",
)
# Where student code runs, what judges is not mounted: a module that would import it there does
# without.
_ABSENT = ("autograder.rungs", "autograder.render", "autograder.sections")
_CHECKING = ("autograder.boxes.inside.checker", "autograder.rungs.ladder")


def of_harness() -> str:
    """What every notebook's run depends on."""
    return _version(_RUNNING, _ABSENT)


def of_asking(exercise_id: str) -> str:
    """What the answers to an exercise depend on beside that: the half that asks."""
    return _version(tuple(_modules(exercise_id, judging=False)), _ABSENT)


def of_judging(exercise_id: str) -> str:
    """What the verdict on answers depends on: both halves, and the ladder."""
    return _version((*_modules(exercise_id, judging=True), *_CHECKING))


@cache
def of_environment() -> str:
    """The interpreter and every installed package, by name and version."""
    found = {f"{each.metadata['Name']}=={each.version}" for each in distributions()} - {
        f"autograder=={_own_version()}"
    }
    return _hash([platform.python_version(), platform.machine(), *sorted(found)])


def _own_version() -> str:
    return next((each.version for each in distributions(name="autograder")), "")


def _modules(exercise_id: str, judging: bool) -> Iterator[str]:
    folder = exercises.find(exercise_id)
    for path in sorted(folder.rglob("*.py")) if folder else ():
        parts = path.relative_to(folder).with_suffix("").parts
        if not _NO_CODE & set(parts) and (judging or parts[0] != "judge"):
            yield ".".join(
                (exercises.PACKAGE, exercise_id, *(part for part in parts if part != "__init__"))
            )


def _version(roots: tuple[str, ...], without: tuple[str, ...] = ()) -> str:
    found = closure(roots, without)
    folders = {path.parent for path in found.values()}
    return _hash(
        [
            *(f"{name} {_code(path)}" for name, path in sorted(found.items())),
            *map(_data, sorted(folders)),
        ]
    )


def closure(roots: Iterable[str], without: tuple[str, ...] = ()) -> dict[str, Path]:
    """The modules of ours that `roots` import, directly or not, with their files; inside functions,
    too. None of those in `without`.
    """
    found: dict[str, Path] = {}
    left, seen = list(roots), set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        if any(f"{name}.".startswith(f"{absent}.") for absent in without):
            continue
        if path := _file(name):
            found[name] = path
            left += [name.rpartition(".")[0], *_imports(path, name)]
    return found


def _file(name: str) -> Path | None:
    """The file of a module of ours; None for a name that is none."""
    package, *rest = name.split(".")
    if package not in _PACKAGES:
        return None
    roots = (
        [folder.parent for folder in exercises.folders()] if package == exercises.PACKAGE else []
    )
    for root in (Path(autograder.__file__).parents[1], *roots):
        path = root.joinpath(package, *rest)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _imports(path: Path, name: str) -> list[str]:
    package = (name if path.name == "__init__.py" else name.rpartition(".")[0]).split(".")
    imported: list[str] = []
    for level, module, names in _parsed(path, _stamp(path))[0]:
        base = ".".join(
            filter(None, (*(package[: len(package) - level + 1] if level else ()), module))
        )
        imported += [base, *(f"{base}.{each}" for each in names)]
    return imported


def _code(path: Path) -> str:
    return _parsed(path, _stamp(path))[1]


@cache
def _parsed(
    path: Path, stamp: tuple[int, int, int]
) -> tuple[list[tuple[int, str | None, list[str]]], str]:
    """What a file imports, as its statements say it: level, module, names. And a hash of what it
    does.
    """
    tree = syntax.parse(path.read_bytes())
    imported: list[tuple[int, str | None, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [(0, alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported.append((node.level, node.module, [alias.name for alias in node.names]))
    return imported, _hash([ast.dump(syntax.without_docstrings(tree))])


def _data(folder: Path) -> str:
    """The files beside modules, and in folders that hold none."""
    files = [
        path for path in folder.iterdir() if path.is_file() and path.suffix not in (".py", ".pyc")
    ]
    for below in (path for path in folder.iterdir() if path.is_dir() and path.name not in _NO_CODE):
        if not any(below.rglob("*.py")):
            files += [path for path in below.rglob("*") if path.is_file()]
    return _hash([f"{path.name} {_bytes(path, _stamp(path))}" for path in sorted(files)])


@cache
def _bytes(path: Path, stamp: tuple[int, int, int]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

"""What a result depends on of the code that is installed here: modules and what they import, found
without running them.

A module counts as what it does: its syntax tree without docstrings and comments. Files that are no
code (models, texts) count as the bytes that they are, for every package of which a module is used.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.metadata import Distribution, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path

import nbjudge
from nbjudge import exercises
from nbjudge.grading import sources
from nbjudge.grading.hashes import digest
from nbjudge.grading.skeletons import Notebook

_NO_CODE = frozenset({"__pycache__", "answers"})
# The way from a notebook to answers, and from answers to a mark, whatever the exercise.
_RUNNING = (
    "nbjudge.grading.engine",
    "nbjudge.boxes.box",
    "nbjudge.boxes.limits",
    "nbjudge.boxes.inside.notebook",
    "nbjudge.boxes.inside.runner",
    "nbjudge.boxes.inside.kernel",
    "nbjudge.boxes.inside.draw",
)
# Where student code runs, what judges is not mounted: a module that would import it there does
# without.
_ABSENT = ("nbjudge.rungs", "nbjudge.render", "nbjudge.sections")
_CHECKING = ("nbjudge.boxes.inside.checker", "nbjudge.rungs.ladder")


def of_harness() -> str:
    """What every notebook's run depends on."""
    return of_modules(_RUNNING, _ABSENT)


def of_asking(exercise_id: str) -> str:
    """What the answers to an exercise depend on beside that: the half that asks."""
    return of_modules(tuple(_modules(exercise_id, judging=False)), _ABSENT)


def of_judging(exercise_id: str) -> str:
    """What the verdict on answers depends on: both halves, and the ladder."""
    return of_modules((*_modules(exercise_id, judging=True), *_CHECKING))


def of_references(exercise_id: str, solution: Notebook, cases: Iterable[str]) -> str:
    """What the references of an exercise depend on; `cases` are the hashes of its cases."""
    code = (of_asking(exercise_id), of_judging(exercise_id), of_harness(), of_environment())
    sources = json.dumps(
        [cell["source"] for cell in solution["cells"] if cell["cell_type"] == "code"]
    )
    return digest([exercise_id, *code, sources, *cases])


@cache
def of_environment() -> str:
    """The interpreter and every installed package, by name and version."""
    found = sorted({"==".join(_named(each)) for each in distributions()})
    return _hash([platform.python_version(), platform.machine(), *found])


def _named(package: Distribution) -> tuple[str, str]:
    """Name and version, as the package's `metadata` has them: all of that takes long to read."""
    said = package.read_text("METADATA") or package.read_text("PKG-INFO") or ""
    found = dict(re.findall(r"^(Name|Version):[ \t]*(.*?)[ \t]*$", said.partition("\n\n")[0], re.M))
    return found.get("Name", ""), found.get("Version", "")


def _modules(exercise_id: str, judging: bool) -> Iterator[str]:
    folder = exercises.find(exercise_id)
    if folder is None:
        return
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if not _NO_CODE & set(parts) and (judging or parts[0] != "judge"):
            yield ".".join(
                (exercises.module_of(folder), *(part for part in parts if part != "__init__"))
            )


def of_modules(roots: Iterable[str], without: tuple[str, ...] = ()) -> str:
    """Modules of ours, what they import of ours, and the files that lie beside those."""
    found = closure(roots, without)
    folders = {path.parent for path in found.values()}
    code = [f"{name} {sources.of(path).does}" for name, path in sorted(found.items())]
    sources.keep()
    return _hash([*code, *map(_data, sorted(folders))])


def closure(roots: Iterable[str], without: tuple[str, ...] = ()) -> dict[str, Path]:
    """Our modules that `roots` import, in functions too, with their files; none in `without`."""
    found: dict[str, Path] = {}
    left = list(roots)
    seen = set()
    look = cache(partial(_file, _roots()))
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        if any(f"{name}.".startswith(f"{absent}.") for absent in without):
            continue
        if path := look(name):
            found[name] = path
            left += [name.rpartition(".")[0], *_imports(path, name, look)]
    return found


def _roots() -> dict[str, list[Path]]:
    """By package of ours, the folders that it may lie in."""
    course = [folder.parent for folder in exercises.folders()]
    return {**{folder.name: [folder.parent] for folder in packages()}, exercises.OF_COURSE: course}


@cache
def packages() -> tuple[Path, ...]:
    """The folders of the installed packages whose code a mark may depend on: this one, those that
    hold exercises, and what these name in an entry point of the group `nbjudge.packages`.
    """
    named = {entry.value for entry in entry_points(group="nbjudge.packages")}
    specs = [spec for name in sorted(named) if (spec := find_spec(name))]
    places = [place for spec in specs for place in (spec.submodule_search_locations or ())[:1]]
    beside = [Path(place).resolve() for place in places]
    return (Path(nbjudge.__file__).parent, *exercises.installed().values(), *beside)


def _file(roots: Mapping[str, list[Path]], name: str) -> Path | None:
    """The file of a module of ours; None for a name that is none."""
    package, *rest = name.split(".")
    for root in roots.get(package, ()):
        path = root.joinpath(package, *rest)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


def _imports(path: Path, name: str, look: Callable[[str], Path | None]) -> Iterator[str]:
    """Names of modules that a module imports; `look` finds a module's file."""
    package = (name if _is_package(path) else name.rpartition(".")[0]).split(".")
    for level, module, names in sources.of(path).imports:
        base = ".".join(
            filter(None, (*(package[: len(package) - level + 1] if level else ()), module))
        )
        yield base
        if (file := look(base)) is None or _is_package(file):  # a module holds none
            yield from (f"{base}.{each}" for each in names)


def _is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def _data(folder: Path) -> str:
    """The files beside modules, and in folders that hold none."""
    files = [
        path for path in folder.iterdir() if path.is_file() and path.suffix not in (".py", ".pyc")
    ]
    for below in (path for path in folder.iterdir() if path.is_dir() and path.name not in _NO_CODE):
        if not any(below.rglob("*.py")):
            files += [path for path in below.rglob("*") if path.is_file()]
    return _hash([f"{path.name} {_bytes(path, sources.stamp(path))}" for path in sorted(files)])


@cache
def _bytes(path: Path, _stamp: tuple[int, int, int]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

"""What the `nbgrader_config.py` beside `solutions/` or `source/` says of releasing.

1. Each setting of the classes that make nbgrader's release (GenerateAssignment and its
   preprocessors) is used as nbgrader uses it, and so is `CourseDirectory.ignore`.
2. A header and a footer are files of the course: their paths begin at the folder of the settings.
3. Every other setting is named when an assignment is released (`unused`): most belong into the
   course folder's own file, which the other commands read.
4. The course folder's file says nothing of a release, which may lie in another folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    ClearHiddenTests,
    ClearMarkScheme,
    ClearSolutions,
    IncludeHeaderFooter,
)
from traitlets.config import Config, Configurable
from traitlets.utils.importstring import import_item

from nbjudge.grading.config import settings

_OF_FOLDERS = frozenset({"ignore"})
# What `convert` decides itself.
_DECIDED = frozenset({("GenerateAssignment", "no_database"), ("SaveCells", "enabled")})


@dataclass(frozen=True, kw_only=True)
class Region:
    """What nbgrader takes out of cells: it begins at a line that holds `begin` and ends at one that
    holds `end`. Where `enforced`, nbgrader refuses it in a cell of another type.
    """

    kind: str
    begin: str
    end: str
    enforced: bool

    @property
    def shown(self) -> tuple[str, str]:
        """Both lines as people write them."""
        around = ("===", " ===") if self.kind == "MARK SCHEME" else ("###", "")
        return tuple(  # type: ignore[return-value]
            f"{around[0]} {mark}{around[1]}" if mark[:1].isalpha() else mark
            for mark in (self.begin, self.end)
        )


def of(solutions: Path) -> Config:
    """The settings of a release out of that folder, by nbgrader's classes. Raises SettingsError."""
    found = settings.read(solutions.parent)
    used = {section: found[section] for section in found if section in _sections(found)}
    if (folders := found.get("CourseDirectory")) and _OF_FOLDERS & folders.keys():
        used["CourseDirectory"] = {key: folders[key] for key in _OF_FOLDERS & folders.keys()}
    config = Config(used)
    for part in ("header", "footer"):
        if path := config.get("IncludeHeaderFooter", {}).get(part):
            config.IncludeHeaderFooter[part] = str(solutions.parent.resolve() / path)
    return config


def over(config: Config, solutions: Path) -> Config:
    """A class's settings with those of a release in the place of its own."""
    config = Config(config)
    for step in (GenerateAssignment, *_steps(config)):
        config.pop(step.__name__, None)
    config.merge(of(solutions))
    return config


def unused(solutions: Path) -> list[str]:
    """The settings of the file that a release does not use, as they are written there."""
    found = settings.read(solutions.parent)
    return sorted(
        f"c.{section}.{name}"
        for section, name in _named(found)
        if (section, name) in _DECIDED
        or not (
            section in _sections(found) or (section == "CourseDirectory" and name in _OF_FOLDERS)
        )
    )


def elsewhere(config: Config) -> list[str]:
    """The settings of a course folder that say something of releasing, and are read beside
    `solutions/` alone.
    """
    names = {step.__name__ for step in (GenerateAssignment, *_steps(config))}
    return sorted(
        f"c.{section}.{name}"
        for section, name in _named(config)
        if section in names and (section, name) not in _DECIDED
    )


def regions(solutions: Path) -> list[Region]:
    """What nbgrader takes out, by the settings of a release: asked of nbgrader's own classes."""
    config = of(solutions)
    answers = ClearSolutions(config=config)
    tests = ClearHiddenTests(config=config)
    schemes = ClearMarkScheme(config=config)
    return [
        Region(
            kind="SOLUTION",
            begin=answers.begin_solution_delimeter,
            end=answers.end_solution_delimeter,
            enforced=answers.enforce_metadata,
        ),
        Region(
            kind="HIDDEN TESTS",
            begin=tests.begin_test_delimeter,
            end=tests.end_test_delimeter,
            enforced=tests.enforce_metadata,
        ),
        Region(
            kind="MARK SCHEME",
            begin=schemes.begin_mark_scheme_delimeter,
            end=schemes.end_mark_scheme_delimeter,
            enforced=schemes.enforce_metadata,
        ),
    ]


def ignored(solutions: Path) -> list[str]:
    """The patterns of names that nbgrader leaves out of an assignment."""
    return list(CourseDirectory(config=of(solutions)).ignore)


def header_cells(solutions: Path) -> int:
    """How many cells a release puts in front of a notebook's own."""
    path = IncludeHeaderFooter(config=of(solutions)).header
    return len(json.loads(Path(path).read_text())["cells"]) if path and adds_cells(solutions) else 0


def adds_cells(solutions: Path) -> bool:
    """Whether a release puts a header or a footer around a notebook."""
    config = of(solutions)
    own = IncludeHeaderFooter(config=config)
    return bool(own.header or own.footer) and IncludeHeaderFooter in _steps(config)


def _steps(config: Config) -> list[type[Configurable]]:
    named = config.get("GenerateAssignment", {}).get("preprocessors")
    steps = GenerateAssignment.preprocessors.default() if named is None else named
    return [import_item(step) if isinstance(step, str) else step for step in steps]


def _sections(config: Config) -> set[str]:
    """The names under which settings of the classes of a release stand, parents included."""
    return {
        section
        for step in (GenerateAssignment, *_steps(config))
        for section in step.section_names()
    }


def _named(config: Config) -> Iterator[tuple[str, str]]:
    for section, values in config.items():
        if isinstance(values, Config):
            yield from ((section, name) for name in values)

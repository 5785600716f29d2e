"""The skeleton store: every published version of an assignment, whole, with its hashes.

Grading starts from these notebooks, never from the submitted ones. A version of an assignment is
named by a hash of all its notebooks. Each notebook carries a version of its own in its metadata, so
that a changed sentence changes one notebook; what a submission says there only selects among
notebooks that were published.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nbjudge.grading.config.folders import Course, make_private, write_private
from nbjudge.grading.document.cells import (
    Notebook,
    is_code,
    is_grade,
    is_graded,
    is_in_gradebook,
    is_solution,
    is_task,
    is_test,
    known_metadata,
    nbgrader_metadata,
)
from nbjudge.grading.published import rubric
from nbjudge.grading.published.atomic import swap

# How the ids of cells begin that were published without one: before nbformat 4.5 there was none.
UNNAMED = "given-"


class SkeletonError(RuntimeError):
    """A stored version is missing or was altered. The text says which file, and what to type."""


@dataclass(frozen=True, kw_only=True)
class Skeleton:
    """One published version: the released notebooks by name, and the instructor's solutions beside
    them.
    """

    assignment: str
    version: str
    notebooks: Mapping[str, Notebook]
    solutions: Mapping[str, Notebook]
    files: Mapping[str, bytes]

    @cached_property
    def edition(self) -> str:
        """The version and a hash of the solutions: what marks depend on. The version alone is what
        students have.
        """
        solutions = json.dumps(self.solutions, sort_keys=True).encode()
        return f"{self.version}-{hashlib.sha256(solutions).hexdigest()[:12]}"

    def graded_cells(self) -> dict[tuple[str, str], tuple]:
        """What marks hang on: (notebook, grade_id) -> (cell type, points, grade, solution, task)."""
        return {
            (name, meta["grade_id"]): (cell["cell_type"], meta.get("points"), *_flags(cell))
            for name, notebook in self.notebooks.items()
            for cell, meta in _marked(notebook)
            if is_in_gradebook(cell)
        }

    def tests(self) -> dict[str, dict[str, str]]:
        """Plain test cells with their hidden tests, which the release leaves out: notebook ->
        grade_id -> source.
        """
        return {
            name: {
                meta["grade_id"]: cell["source"]
                for cell, meta in _marked(notebook)
                if is_code(cell) and is_test(cell)
            }
            for name, notebook in self.solutions.items()
        }

    def rubrics(self) -> dict[str, dict[str, str]]:
        """What the solutions hold for the marker's eyes alone: notebook -> grade_id -> Markdown."""
        released = {
            name: {meta["grade_id"]: cell for cell, meta in _marked(notebook)}
            for name, notebook in self.notebooks.items()
        }
        return {
            name: {
                meta["grade_id"]: text
                for cell, meta in _marked(notebook)
                if (text := rubric.of_cell(cell, released.get(name, {}).get(meta["grade_id"])))
            }
            for name, notebook in self.solutions.items()
        }


def same_cells(old: Notebook, new: Notebook) -> set[str]:
    """The grade_ids of graded cells that are worth the same, in the same way, in both."""
    before = _worth(old)
    after = _worth(new)
    return {grade_id for grade_id, what in before.items() if after.get(grade_id) == what}


def are_worth_the_same(old: Notebook, new: Notebook) -> bool:
    """Whether both have the same graded cells, with the same points."""
    return _worth(old) == _worth(new)


def _worth(notebook: Notebook) -> dict[str, tuple]:
    return {
        meta["grade_id"]: (cell["cell_type"], float(meta["points"]), *_flags(cell))
        for cell, meta in _marked(notebook)
        if meta.get("points") is not None
    }


def _flags(cell: Mapping) -> tuple[bool, bool, bool]:
    return is_grade(cell), is_solution(cell), is_task(cell)


def _marked(notebook: Notebook) -> Iterator[tuple[dict, dict]]:
    for cell in notebook["cells"]:
        if meta := nbgrader_metadata(cell):
            yield cell, meta


def version_of(notebooks: Mapping[str, Notebook]) -> str:
    """Twelve hex digits of SHA-256 over the notebooks, their own version mark left out."""
    bare = {
        name: {**notebook, "metadata": {**notebook["metadata"], "nbjudge": None}}
        for name, notebook in notebooks.items()
    }
    return hashlib.sha256(json.dumps(bare, sort_keys=True).encode()).hexdigest()[:12]


def own_version(notebook: Notebook) -> str | None:
    """Return the version that a released notebook carries; None if it carries none."""
    own = notebook["metadata"].get("nbjudge")
    version = own.get("version") if isinstance(own, dict) else None
    return version if isinstance(version, str) else None


def is_published(course: Course, assignment: str) -> bool:
    """Whether the course's store holds a version of the assignment; makes no folder."""
    return (_folder(course, assignment) / "current").is_file()


def _folder(course: Course, assignment: str) -> Path:
    """Where an assignment's versions are, if there are any."""
    return course.root / ".nbjudge" / "skeletons" / assignment


def store(course: Course, skeleton: Skeleton) -> None:
    """Put a version into the store and make it the current one. The version's folder appears in one
    rename.

    A version is the students' notebooks: one that is stored again with other solutions takes the
    place of what was there.
    """
    folder = course.private("skeletons", skeleton.assignment)
    temporary = folder / f".{skeleton.version}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(mode=0o700)
    documents = _documents(skeleton)
    for name, data in documents.items():
        *parents, leaf = name.split("/")
        write_private(make_private(temporary, *parents) / leaf, data)
    manifest = {name: hashlib.sha256(data).hexdigest() for name, data in documents.items()}
    text = json.dumps(manifest, indent=1, sort_keys=True)
    write_private(temporary / "manifest.json", text.encode())
    swap(temporary, folder / skeleton.version)
    shutil.rmtree(temporary, ignore_errors=True)
    write_private(folder / "current", skeleton.version.encode())


def _documents(skeleton: Skeleton) -> dict[str, bytes]:
    """The files of a version, by their paths in its folder."""
    kinds = {"release": skeleton.notebooks, "solutions": skeleton.solutions}
    notebooks = {
        f"{kind}/{name}.ipynb": json.dumps(notebook).encode()
        for kind, several in kinds.items()
        for name, notebook in several.items()
    }
    return notebooks | {f"files/{name}": data for name, data in skeleton.files.items()}


def current(course: Course, assignment: str) -> Skeleton | None:
    """The version published last, or None when the assignment was never published here."""
    version = current_version(course, assignment)
    return None if version is None else load(course, assignment, version)


def current_version(course: Course, assignment: str) -> str | None:
    """The version published last, or None. Raises SkeletonError where its file cannot be read."""
    pointer = _folder(course, assignment) / "current"
    if not os.path.lexists(pointer) and any(pointer.parent.glob("[!.]*")):
        raise SkeletonError(_damaged(course, pointer, "it is missing", assignment))
    try:
        version = pointer.read_text().strip() if os.path.lexists(pointer) else None
    except (OSError, ValueError) as error:
        raise SkeletonError(
            _damaged(
                course, pointer, getattr(error, "strerror", None) or "it is damaged", assignment
            )
        ) from None
    if version is not None and not re.fullmatch(r"\w[\w.-]{0,63}", version):
        raise SkeletonError(_damaged(course, pointer, "it holds no version", assignment))
    return version


def is_stored(course: Course, assignment: str, version: str) -> bool:
    """Whether a version was published some time, intact or not."""
    return (_folder(course, assignment) / version).is_dir()


def _damaged(course: Course, path: Path, why: str, assignment: str) -> str:
    return (
        f"{path} cannot be used ({why}): restore it from a backup, or {course.publishing(assignment)}, which mends it "
        "if labs/ still holds a version that was published"
    )


def versions(course: Course, assignment: str) -> dict[str, Skeleton]:
    """Every stored version of an assignment, by name."""
    names = sorted(
        folder.name for folder in _folder(course, assignment).glob("[!.]*") if folder.is_dir()
    )
    return {name: load(course, assignment, name) for name in names}


def load(course: Course, assignment: str, version: str) -> Skeleton:
    """Read one version, every file held against the manifest. Raises SkeletonError."""
    documents = _stored(course, assignment, version)
    files = _below("files/", documents)
    release, solutions = (
        {Path(name).stem: named(json.loads(data)) for name, data in _below(kind, documents).items()}
        for kind in ("release/", "solutions/")
    )
    return Skeleton(
        assignment=assignment, version=version, notebooks=release, solutions=solutions, files=files
    )


def _below(folder: str, documents: dict[str, bytes]) -> dict[str, bytes]:
    return {
        name.removeprefix(folder): data
        for name, data in documents.items()
        if name.startswith(folder)
    }


def _stored(course: Course, assignment: str, version: str) -> dict[str, bytes]:
    """The files of a version by their paths. Raises SkeletonError."""
    folder = _folder(course, assignment) / version
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        documents = {name: (folder / name).read_bytes() for name in manifest}
    except (OSError, ValueError, TypeError) as error:
        place = Path(getattr(error, "filename", None) or folder / "manifest.json")
        why = getattr(error, "strerror", None) or "it is damaged"
        raise SkeletonError(_damaged(course, place, why, assignment)) from None
    if not isinstance(manifest, dict):
        raise SkeletonError(_damaged(course, folder / "manifest.json", "it is damaged", assignment))
    for name, data in documents.items():
        if hashlib.sha256(data).hexdigest() != manifest[name]:
            why = "it was altered after it was published"
            raise SkeletonError(_damaged(course, folder / name, why, assignment))
    return documents


def named(notebook: Notebook) -> Notebook:
    """The notebook with an id for each cell, as nbformat 4.5 has it."""
    cells = [{"id": f"{UNNAMED}{n}", **cell} for n, cell in enumerate(notebook["cells"])]
    minor = max(5, notebook.get("nbformat_minor", 0))
    return {**notebook, "nbformat_minor": minor, "cells": cells}


def max_score(skeleton: Notebook) -> float:
    """What a notebook's graded cells are worth together."""
    return sum(
        float(known_metadata(cell)["points"]) for cell in filter(is_graded, skeleton["cells"])
    )

"""`references/given.json`: the cells of a lab as it was released, for `course check` on a student's
machine.

Grading starts from the published notebooks (`grading/rebuild.py`). So that a check runs what grading
runs, a lab with exercises carries them along: where its expected results are, and in one file that
no editor of notebooks opens. Nothing in it is hidden, and no mark follows from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.grading.skeletons import Notebook, named

FILE = "given.json"
_OF_CELL = ("cell_type", "id", "metadata", "source")


@dataclass(frozen=True)
class GivenCells:
    """The released notebooks of a lab by name, without outputs, and the version that they are."""

    version: str | None
    notebooks: Mapping[str, Notebook]


def write(folder: Path, notebooks: Mapping[str, Notebook]) -> None:
    """Write the file into a lab's folder `references`; the same bytes for the same notebooks."""
    kept = {name: _without_outputs(notebook) for name, notebook in sorted(notebooks.items())}
    versions = {each["metadata"].get("autograder", {}).get("version") for each in kept.values()}
    content = {"version": versions.pop() if len(versions) == 1 else None, "notebooks": kept}
    (folder / FILE).write_text(
        json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8"
    )


def read(folder: Path) -> GivenCells | None:
    """What `write` wrote into a folder, or None where there is no such file, or a damaged one."""
    try:
        content = json.loads((folder / FILE).read_bytes())
        notebooks = {name: named(each) for name, each in content["notebooks"].items()}
        if all(map(_is_whole, notebooks.values())):
            return GivenCells(content["version"], notebooks)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    return None


def _without_outputs(notebook: Notebook) -> Notebook:
    cells = [
        {key: cell[key] for key in _OF_CELL if key in cell} | {"source": "".join(cell["source"])}
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def _is_whole(notebook: Notebook) -> bool:
    return all(
        isinstance(cell["source"], str)
        and isinstance(cell["cell_type"], str)
        and isinstance(cell["metadata"].get("nbgrader", {}), dict)
        for cell in notebook["cells"]
    )

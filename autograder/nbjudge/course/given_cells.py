"""`references/given/`: the notebooks of a lab as they were released, a file each, for `course check` on
a student's machine.

Grading starts from the published notebooks (`grading/notebook/rebuild.py`). So that a check runs what grading
runs, a lab with exercises carries them along: where its expected results are, and in files that no
editor of notebooks opens. The course's own labs have them in the distribution of their exercises,
which makes them of `labs/` (`hatch_build.py`). Nothing in them is hidden, and no mark follows from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbjudge.grading.document.cells import Notebook
from nbjudge.grading.published.skeletons import named, own_version, version_of

FOLDER = "given"
_OF_CELL = ("cell_type", "id", "metadata", "source")


@dataclass(frozen=True)
class GivenCells:
    """The released notebooks of a lab by name, without outputs."""

    notebooks: Mapping[str, Notebook]

    def version(self, name: str) -> str | None:
        """The release that a notebook is of."""
        return own_version(self.notebooks[name])


def write(references: Path, notebooks: Mapping[str, Notebook]) -> None:
    """Write the files into a lab's folder `references`; the same bytes for the same notebooks."""
    folder = references / FOLDER
    folder.mkdir(exist_ok=True)
    for name, notebook in notebooks.items():
        text = json.dumps(_without_outputs(notebook), ensure_ascii=False, sort_keys=True)
        (folder / f"{name}.json").write_text(f"{text}\n", "utf-8")


def is_as_released(name: str, notebook: Notebook) -> bool:
    """Decide whether a notebook holds what its version was made of, its outputs aside."""
    cells = [
        {**cell, "outputs": [], "execution_count": None} if cell["cell_type"] == "code" else cell
        for cell in notebook["cells"]
    ]
    return own_version(notebook) == version_of({name: {**notebook, "cells": cells}})


def read(references: Path) -> GivenCells | None:
    """What `write` wrote into a folder, or None where there is nothing, or a damaged file."""
    try:
        files = sorted((references / FOLDER).glob("*.json"))
        notebooks = {path.stem: named(json.loads(path.read_bytes())) for path in files}
        if notebooks and all(map(_is_whole, notebooks.values())):
            return GivenCells(notebooks)
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
    return isinstance(notebook["metadata"].get("nbjudge", {}), dict) and all(
        isinstance(cell["source"], str)
        and isinstance(cell["cell_type"], str)
        and isinstance(cell["metadata"].get("nbgrader", {}), dict)
        for cell in notebook["cells"]
    )

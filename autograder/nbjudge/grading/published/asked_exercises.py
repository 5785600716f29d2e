"""Which exercises a notebook asks for: those that its test cells call `check` on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from nbjudge.grading.document.cells import Notebook, is_grade

_CHECK = re.compile(r"""^check\(\s*["']([^"']*)["']""", re.MULTILINE)


def in_notebook(notebook: Notebook) -> list[str]:
    """The ids of the exercises, in the order of their test cells."""
    tests = filter(is_grade, notebook["cells"])
    return [called[1] for cell in tests if (called := _CHECK.search("".join(cell["source"])))]


def behind(notebook: Notebook) -> range:
    """The places of the cells behind the first exercise's test: from it on the notebook runs beside
    hidden inputs, and nothing is kept of what cells print, show and raise.
    """
    cells = notebook["cells"]
    first = next(
        (place for place, cell in enumerate(cells) if in_notebook({"cells": [cell]})), len(cells)
    )
    return range(first + 1, len(cells))


def in_notebooks(notebooks: Mapping[str, Notebook]) -> dict[str, str]:
    """The notebook of each exercise that they ask for, by its id."""
    return {
        exercise: name for name, notebook in notebooks.items() for exercise in in_notebook(notebook)
    }


def in_folder(folder: Path) -> dict[str, str]:
    """As `in_notebooks`, of the notebooks in a folder."""
    return in_notebooks(
        {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.ipynb"))}
    )

"""The record of the zoo's last run: a digest of its cells with their outputs, and the versions that
ran.

Most readers cannot run the page. The record makes outputs that do not belong to the code, or to the
locked versions, a failing test.
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version

import projects
from nbformat import NotebookNode
from packaging.requirements import Requirement

from tests.notebook_tools import ZOO

RESULTS = ZOO.parent / "results"
RECORD = RESULTS / "zoo-page.json"


def digest(notebook: NotebookNode) -> str:
    """Of the code cells: sources, tags and outputs."""
    cells = [
        (cell.source, cell.metadata, cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def packages() -> list[str]:
    """The packages of the extra, by name."""
    return sorted(Requirement(text).name for text in projects.only_in("zoo"))


def write(notebook: NotebookNode) -> None:
    versions = {name: version(name).partition("+")[0] for name in packages()}
    RECORD.write_text(
        json.dumps({"digest": digest(notebook), "versions": versions}, indent=1) + "\n",
        encoding="utf-8",
    )


def read() -> dict:
    return json.loads(RECORD.read_text(encoding="utf-8"))

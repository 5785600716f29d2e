"""How long `check` takes in a student's own kernel, beside what the student's functions take."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

import nbformat
from nbclient import NotebookClient

from bench.workloads import ROOT

AGAIN = 3  # times that a check is called after the first
_BEGIN = "from bench import checks_in_kernel\nchecks_in_kernel.begin({path!r})"


def of_assignment(assignment: str) -> dict[str, dict[str, float]]:
    """By exercise, in seconds: `own`, what the solution's functions took in the first call of
    `check` in a fresh kernel; `first`, what that call took beyond; `again`, the median of the next
    ones beyond the functions.
    """
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        there, log = Path(folder) / assignment, Path(folder) / "calls.jsonl"
        shutil.copytree(ROOT / "solutions" / assignment, there)
        shutil.copytree(ROOT / "labs" / assignment / "references", there / "references")
        for path in sorted(there.glob("*.ipynb")):
            _execute(path, log)
        for line in log.read_text().splitlines():
            exercise, own, beyond = json.loads(line)
            found[exercise].append((own, beyond))
    return {
        exercise: {
            "own": round(calls[0][0], 2),
            "first": round(calls[0][1], 2),
            "again": round(median(beyond for _, beyond in calls[1:]), 2),
        }
        for exercise, calls in found.items()
    }


def _execute(path: Path, log: Path) -> None:
    """The notebook, with each cell that checks called `AGAIN` times more."""
    notebook = nbformat.read(path, 4)
    cells = [nbformat.v4.new_code_cell(_BEGIN.format(path=str(log)))]
    for cell in notebook.cells:
        is_check = cell.metadata.get("nbgrader", {}).get("grade") and "check(" in cell.source
        cells += [cell, *(nbformat.v4.new_code_cell(cell.source) for _ in range(AGAIN * is_check))]
    notebook.cells = cells
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=None, resources=where).execute(env=dict(os.environ))

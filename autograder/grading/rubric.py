"""What helps a person to mark, shown beside the cell in formgrader and nowhere else.

Beside an answer stands what the solution holds there; beside a task, its mark scheme; beside a
plain test cell, the cell with its hidden tests. Students get none of it: feedback leaves these
cells out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from autograder.boxes.inside.pictures import with_bytes

Notebook = dict

TITLE = "**For the marker (students never see this cell)**"
_MARK = {"rubric": True}
# nbgrader's lines around a region: as Markdown, they would be headings.
_REGION = re.compile(
    r"^[ \t]*(?:###|===)[ \t]*(?:BEGIN|END) (?:SOLUTION|MARK SCHEME)(?:[ \t]*===)?[ \t]*\n?",
    re.MULTILINE,
)
_SCHEME = re.compile(
    r"=== BEGIN MARK SCHEME ===[ \t]*\n(.*?)^[ \t]*=== END MARK SCHEME ===",
    re.DOTALL | re.MULTILINE,
)


def nbgrader_metadata(cell: Mapping) -> dict | None:
    return cell["metadata"].get("nbgrader")


def of_cell(solution: Mapping, released: Mapping | None) -> str | None:
    """The marker's text for one cell of the solutions, or None where the student sees as much as
    the marker.
    """
    meta, source = nbgrader_metadata(solution), solution["source"]
    if solution["cell_type"] == "markdown":
        source = with_bytes(source, solution.get("attachments", {}))
    if meta.get("task"):
        return "\n\n".join(scheme.strip() for scheme in _SCHEME.findall(source)) or None
    if not meta["grade"] or solution["source"] == (released or {}).get("source"):
        return None
    if solution["cell_type"] == "code":
        return f"{'The answer' if meta['solution'] else 'With the hidden tests'}:\n\n{_fenced(solution['source'])}"
    return _REGION.sub("", source) if meta["solution"] else None


def beside_answers(notebook: Notebook, rubrics: Mapping[str, str]) -> Notebook:
    """The recorded notebook with a cell behind each one that `rubrics`, a mapping from grade_id to
    Markdown, has a text for.
    """
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        meta = nbgrader_metadata(cell)
        if meta and meta["grade_id"] in rubrics:
            cells.append(_cell(f"rubric-{len(cells)}", rubrics[meta["grade_id"]]))
    return {**notebook, "cells": cells}


def _cell(name: str, text: str) -> dict:
    source, meta = f"{TITLE}\n\n{text}", {"autograder": _MARK}
    return {"cell_type": "markdown", "id": name, "metadata": meta, "source": source}


def is_rubric(cell: Mapping) -> bool:
    """Whether `beside_answers` made the cell. A submission cannot hold one: its cells keep no
    metadata.
    """
    return cell["metadata"].get("autograder") == _MARK


def _fenced(source: str) -> str:
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", source))])
    return f"{fence}python\n{source}\n{fence}"

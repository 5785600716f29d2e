"""What helps a person to mark, shown beside the cell in formgrader; of that, feedback shows the
criteria.

1. Beside an answer stands what the solution holds there; beside a task, its mark scheme; beside a
   plain test cell, the cell with its hidden tests.
2. The criteria are the mark scheme of a task, and of a text answer the part of the solution that
   begins with a bold word or a heading `Points`, `Criteria`, `Rubric` or `Mark scheme`, up to the
   next such part.
3. Students get the criteria beside their mark. A model answer, samples and hidden tests they get
   nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from nbjudge.grading.document.cells import (
    Notebook,
    is_code,
    is_grade,
    is_solution,
    is_task,
    nbgrader_metadata,
)
from nbjudge.grading.document.markdown_pictures import with_bytes

TITLE = "**For the marker (students see the criteria alone)**"
CRITERIA = "**How this is marked**"
_MARK = {"rubric": True}
_PART = re.compile(r"(?:\*\*|__|#{1,6}[ \t]+)(?=\S)")
_CRITERIA = re.compile(
    r"(?:\*\*|__|#{1,6}[ \t]+(?:\*\*|__)?)(?:points|criteria|rubric|mark(?:ing)? scheme)\b",
    re.IGNORECASE,
)
# nbgrader's lines around a region, which it knows by these words alone: as Markdown, they would be
# headings.
_REGION = re.compile(r"^.*(?:BEGIN|END) (?:SOLUTION|MARK SCHEME).*\n?", re.MULTILINE)
_SCHEME = re.compile(
    r"^[^\n]*BEGIN MARK SCHEME[^\n]*\n(.*?)^[^\n]*END MARK SCHEME", re.DOTALL | re.MULTILINE
)


def of_cell(solution: Mapping, released: Mapping | None) -> str | None:
    """The marker's text for one cell of the solutions, or None where the student sees as much as
    the marker.
    """
    source = solution["source"]
    if solution["cell_type"] == "markdown":
        source = with_bytes(source, solution.get("attachments", {}))
    if is_task(solution):
        return "\n\n".join(scheme.strip() for scheme in _SCHEME.findall(source)) or None
    if not is_grade(solution) or solution["source"] == (released or {}).get("source"):
        return None
    if is_code(solution):
        return f"{'The answer' if is_solution(solution) else 'With the hidden tests'}:\n\n{_fenced(solution['source'])}"
    return _REGION.sub("", source) if is_solution(solution) else None


def beside_answers(notebook: Notebook, rubrics: Mapping[str, str]) -> Notebook:
    """The recorded notebook with a cell behind each one that `rubrics`, a mapping from grade_id to
    Markdown, has a text for.
    """
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        meta = nbgrader_metadata(cell)
        if meta and meta["grade_id"] in rubrics:
            text = rubrics[meta["grade_id"]]
            shown = text if is_task(cell) else criteria(text) if _is_text(cell) else ""
            cells.append(_cell(f"rubric-{len(cells)}", text, shown))
    return {**notebook, "cells": cells}


def _is_text(cell: Mapping) -> bool:
    return is_solution(cell) and not is_code(cell)


def _cell(name: str, text: str, for_student: str) -> dict:
    mark = {**_MARK, "criteria": for_student} if for_student else _MARK
    source = f"{TITLE}\n\n{text}"
    meta = {"nbjudge": mark}
    return {"cell_type": "markdown", "id": name, "metadata": meta, "source": source}


def criteria(text: str) -> str:
    """The part of a marker's text that says how points are given; empty where there is none."""
    kept = []
    is_told = False
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if _PART.match(paragraph.lstrip()):
            is_told = _CRITERIA.match(paragraph.lstrip()) is not None
        if is_told:
            kept.append(paragraph.strip("\n"))
    return "\n\n".join(kept).strip()


def criteria_of(cell: Mapping) -> str:
    """What students see of a cell that `beside_answers` made."""
    return cell["metadata"]["nbjudge"].get("criteria", "")


def is_rubric(cell: Mapping) -> bool:
    """Whether `beside_answers` made the cell. A submission cannot hold one: its cells keep no
    metadata.
    """
    mark = cell["metadata"].get("nbjudge")
    return isinstance(mark, Mapping) and mark.get("rubric") is True


def _fenced(source: str) -> str:
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", source))])
    return f"{fence}python\n{source}\n{fence}"

"""Rubrics: what the solutions hold in answers that are marked by hand, shown beside each answer in formgrader and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.grading.skeletons import Notebook, nbgrader_metadata

TITLE = "**For the marker (students never see this cell)**"
_MARK = {"rubric": True}


def beside_answers(notebook: Notebook, rubrics: Mapping[str, str]) -> Notebook:
    """The recorded notebook with a cell behind each answer that a person marks; `rubrics` maps a grade_id to Markdown."""
    cells = []
    for cell in notebook["cells"]:
        cells.append(cell)
        meta = nbgrader_metadata(cell)
        if meta and meta["grade_id"] in rubrics:
            text = f"{TITLE}\n\n{rubrics[meta['grade_id']]}"
            cells.append({"cell_type": "markdown", "id": f"rubric-{len(cells)}", "metadata": {"autograder": _MARK}, "source": text})
    return {**notebook, "cells": cells}


def is_rubric(cell: Mapping) -> bool:
    """Whether `beside_answers` made the cell. A submission cannot hold one: its cells keep no metadata."""
    return cell["metadata"].get("autograder") == _MARK

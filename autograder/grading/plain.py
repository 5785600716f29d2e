"""Marks of plain nbgrader test cells: asserts that ran beside the student's code, in the box. Not
tamper-proof, and labelled so.

nbgrader's own rule, with its holes closed: an error is 0; a result that is a number between 0 and
the cell's points is that number; no result, or one that is no number, is full marks; a number
outside (negative, larger, NaN) is 0, and so is a result that may be among the output that was lost.
What went to stderr never counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from autograder.grading.results import GRADED, CellResult
from autograder.grading.runner import CellRun
from autograder.grading.skeletons import Notebook, nbgrader_metadata

LABEL = "[grader] this mark comes from a test cell that ran beside the submitted code: it is not tamper-proof\n"
HIDDEN = (
    "[grader] what cells print and raise is not kept from here on: hidden tests ran beside them\n"
)
LOST = "some of what the cell shows never came, and with it perhaps its mark: print less"


def concealed(
    cells: Mapping[int, CellRun], given: Sequence[Mapping], run: Sequence[Mapping]
) -> dict[int, CellRun]:
    """What may be recorded of the runs of a notebook's cells, which are `given` to everybody and
    were `run` with their hidden tests.

    Code that a test calls reads the test's source from its caller, so nothing that it could be
    written in is kept from the first hidden test on: of a test cell whether it passed, and the
    number that is its mark; of any other how it ended.
    """
    first = _first_hidden(given, run)
    return {
        index: ran if index < first else _concealed(ran, is_test(given[index]))
        for index, ran in cells.items()
    }


def hides(given: Notebook, run: Notebook) -> bool:
    """Whether a notebook ran with tests that are hidden in the one that everybody is given."""
    return _first_hidden(given["cells"], run["cells"]) < len(given["cells"])


def _first_hidden(given: Sequence[Mapping], run: Sequence[Mapping]) -> int:
    """The index of the first cell that ran with another source, or the number of cells."""
    pairs = enumerate(zip(given, run, strict=True))
    return next(
        (
            index
            for index, (one, other) in pairs
            if one["source"].strip() != other["source"].strip()
        ),
        len(given),
    )


def is_test(cell: Mapping) -> bool:
    meta = cell["metadata"].get("nbgrader")
    return bool(meta and meta["grade"] and not meta["solution"])


def _concealed(ran: CellRun, is_test: bool) -> CellRun:
    outputs: list[dict] = [{"output_type": "stream", "name": "stdout", "text": HIDDEN}]
    if is_test and any(output["output_type"] == "error" for output in ran.outputs):
        outputs.append(
            {
                "output_type": "error",
                "ename": "HiddenTest",
                "evalue": "a test of this cell does not pass",
                "traceback": [],
            }
        )
    value = _value(ran) if is_test else None
    if value is not None:
        outputs.append(number(value))
    return replace(ran, outputs=outputs, execution_count=None)


def sources(notebook: Notebook, grade_ids: Set[str]) -> dict[str, str]:
    """The test cells among those, as they were released."""
    metas = [
        (cell, nbgrader_metadata(cell) or {})
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    return {
        meta["grade_id"]: cell["source"]
        for cell, meta in metas
        if meta.get("grade_id") in grade_ids and not meta["solution"]
    }


def with_tests(notebook: Notebook, tests: Mapping[str, str]) -> Notebook:
    """The notebook with other sources in its test cells: those that are run have hidden tests,
    those that students see have none.
    """
    cells = [
        {
            **cell,
            "source": tests.get((nbgrader_metadata(cell) or {}).get("grade_id"), cell["source"]),
        }
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def grade_cell(ran: CellRun, points: float) -> CellResult:
    if ran.status != "ok" or any(output["output_type"] == "error" for output in ran.outputs):
        error = next((output for output in ran.outputs if output["output_type"] == "error"), None)
        found = _said(error)[:300] if error else f"the cell's run ended as: {ran.status}"
        return CellResult(GRADED, 0.0, points, rung="assert", found=found)
    if ran.incomplete and _value(ran) is None:
        return CellResult(GRADED, 0.0, points, rung="assert", found=LOST)
    score = _partial(ran, points)
    return CellResult(GRADED, score, points, rung=None if score == points else "assert")


def _said(error: dict) -> str:
    """An error as Python shows it: a bare assert has nothing to say behind its name."""
    return f"{error['ename']}: {error['evalue']}" if error["evalue"].strip() else error["ename"]


def record_outputs(ran: CellRun, score: float) -> list[dict]:
    """The cell's own text, then the mark as nbgrader reads it: one result, no stderr, no error
    before it.
    """
    shown = []
    for output in ran.outputs:
        if output["output_type"] == "error":
            shown.append({"output_type": "stream", "name": "stdout", "text": f"{_said(output)}\n"})
        elif output["output_type"] != "execute_result":
            shown.append(
                {**output, "name": "stdout"} if output["output_type"] == "stream" else output
            )
    label = {"output_type": "stream", "name": "stdout", "text": LABEL}
    return [*shown, label, number(score)]


def number(value: float) -> dict:
    """The one result of a cell that nbgrader takes for its mark."""
    return {
        "output_type": "execute_result",
        "data": {"text/plain": repr(float(value))},
        "metadata": {},
        "execution_count": None,
    }


def _partial(ran: CellRun, points: float) -> float:
    value = _value(ran)
    if value is None:
        return points
    return round(value, 4) if math.isfinite(value) and 0.0 <= value <= points else 0.0


def _value(ran: CellRun) -> float | None:
    """The number that the cell's first result is, if it is one."""
    for output in ran.outputs:
        if output["output_type"] != "execute_result":
            continue
        try:
            return float(output["data"].get("text/plain", ""))
        except ValueError:
            return None
    return None

"""Marks of plain nbgrader test cells: asserts that ran beside the student's code, in the box. Not tamper-proof, and labelled so.

nbgrader's own rule, with its holes closed: an error is 0; a result that is a number between 0 and the cell's points is that number;
no result, or one that is no number, is full marks; a number outside (negative, larger, NaN) is 0. What went to stderr never counts.
"""

from __future__ import annotations

import math

from autograder.grading.results import GRADED, CellResult
from autograder.grading.runner import CellRun

LABEL = "[grader] this mark comes from a test cell that ran beside the submitted code: it is not tamper-proof\n"


def grade_cell(ran: CellRun, points: float) -> CellResult:
    if ran.status != "ok" or any(output["output_type"] == "error" for output in ran.outputs):
        error = next((output for output in ran.outputs if output["output_type"] == "error"), None)
        found = _said(error)[:300] if error else f"the cell's run ended as: {ran.status}"
        return CellResult(GRADED, 0.0, points, rung="assert", found=found)
    score = _partial(ran, points)
    return CellResult(GRADED, score, points, rung=None if score == points else "assert")


def _said(error: dict) -> str:
    """An error as Python shows it: a bare assert has nothing to say behind its name."""
    return f"{error['ename']}: {error['evalue']}" if error["evalue"].strip() else error["ename"]


def record_outputs(ran: CellRun, score: float) -> list[dict]:
    """The cell's own text, then the mark as nbgrader reads it: one result, no stderr, no error before it."""
    shown = []
    for output in ran.outputs:
        if output["output_type"] == "error":
            shown.append({"output_type": "stream", "name": "stdout", "text": f"{_said(output)}\n"})
        elif output["output_type"] != "execute_result":
            shown.append({**output, "name": "stdout"} if output["output_type"] == "stream" else output)
    label = {"output_type": "stream", "name": "stdout", "text": LABEL}
    result = {"output_type": "execute_result", "data": {"text/plain": repr(float(score))}, "metadata": {}, "execution_count": None}
    return [*shown, label, result]


def _partial(ran: CellRun, points: float) -> float:
    for output in ran.outputs:
        if output["output_type"] != "execute_result":
            continue
        try:
            value = float(output["data"].get("text/plain", ""))
        except ValueError:
            return points
        return value if math.isfinite(value) and 0.0 <= value <= points else 0.0
    return points

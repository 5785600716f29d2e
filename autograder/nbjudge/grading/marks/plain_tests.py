"""Marks of plain nbgrader test cells: asserts that ran beside the student's code, in the box. Not
tamper-proof, and labelled so.

The rules are nbgrader's own, with its holes closed:

1. A cell that ends with an error is 0.
2. A cell without a result, as one that ends with an assert, has full marks.
3. The result is the value of the cell's last expression. What is displayed never counts, and of
   several results, which only a function that shows them itself can bring about, the lowest does.
4. A result that is a number between 0 and the cell's points is that number. One that is another
   number (negative, larger, NaN) is 0.
5. Where the instructor's own solution shows a number of points (`own_results`), everything else is
   0: no result, a text, an object.
6. Elsewhere a result whose text is no number is full marks, as with nbgrader. Without a text (HTML
   alone, nothing at all, a "text" that is a number or a list) it is 0.
7. A result that may be among output that was lost is 0. What went to stderr never counts.

A test that students do not see may have told its text to whatever ran beside it. So nothing is kept
of what the cells print from there on (`concealed`); what a person is to mark, and why a test fails
that students see, come from a second run (`views`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from nbjudge.grading.document.cells import (
    Notebook,
    grade_id,
    is_code,
    is_solution,
    is_test,
    known_metadata,
)
from nbjudge.grading.execution.runner import CellRun
from nbjudge.grading.marks.results import GRADED, CellResult

LABEL = "[grader] this mark comes from a test cell that ran beside the submitted code: it is not tamper-proof\n"
HIDDEN = (
    "[grader] what this cell prints and raises is not kept: hidden tests ran before it or in it\n"
)
RESULT = "execute_result"
HIDDEN_TEST = "HiddenTest"  # what an error is called of which nothing may be told
NOT_PASSED = "a test of this cell does not pass"
NOT_KEPT = "this test does not pass, and what it raised beside the hidden tests is not kept"
NO_TEXT = (
    "the value of the cell's last line shows no text, so it is no number of points: a function that "
    "it calls may return an object that is shown in another way, or not at all"
)
NO_NUMBER = (
    "the value of the cell's last line is no number, and must be a number of points: look at what "
    "the function that it calls returns"
)
OUTSIDE = "the value of the cell's last line is a number that is not between 0 and {points}"
LOST = "some of what the cell shows never came, and with it perhaps its mark: print less"


def concealed(
    cells: Mapping[int, CellRun], published: Sequence[Mapping], run: Sequence[Mapping]
) -> dict[int, CellRun]:
    """The runs of a notebook's cells with no more than may be recorded of them: the cells were
    `published` without their hidden tests, and `run` with these.

    Code that a test calls reads the test's source from its caller, so nothing that it could be
    written in is kept from the first hidden test on: of a test cell whether it passed, and the
    number that is its mark; of any other how it ended.
    """
    first = first_hidden(published, run)
    return {
        index: ran
        if index < first
        else _concealed(ran, published[index], is_other(published[index], run[index]))
        for index, ran in cells.items()
    }


def hides(published: Notebook, run: Notebook) -> bool:
    """Whether a notebook ran with tests that are hidden in the published one."""
    return first_hidden(published["cells"], run["cells"]) < len(published["cells"])


def first_hidden(published: Sequence[Mapping], run: Sequence[Mapping]) -> int:
    """The index of the first cell that ran with another source, or the number of cells."""
    pairs = enumerate(zip(published, run, strict=True))
    return next(
        (index for index, (one, other) in pairs if is_other(one, other)),
        len(published),
    )


def is_other(published: Mapping, run: Mapping) -> bool:
    """Whether a cell ran with another source than the published one: with hidden tests."""
    return published["source"].strip() != run["source"].strip()


def _concealed(ran: CellRun, cell: Mapping, is_hidden: bool) -> CellRun:
    outputs: list[dict] = [{"output_type": "stream", "name": "stdout", "text": HIDDEN}]
    if is_test(cell):
        if any(output["output_type"] == "error" for output in ran.outputs):
            outputs.append(
                {
                    "output_type": "error",
                    "ename": HIDDEN_TEST if is_hidden else "TestFailed",
                    "evalue": NOT_PASSED if is_hidden else NOT_KEPT,
                    "traceback": [],
                }
            )
        lowest = _lowest(ran, float(known_metadata(cell)["points"]))
        if lowest is not None:
            outputs.append(lowest.shown)
    return replace(ran, outputs=outputs, execution_count=None)


def sources(notebook: Notebook, grade_ids: Set[str]) -> dict[str, str]:
    """The test cells among those, as they were released."""
    return {
        name: cell["source"]
        for cell in notebook["cells"]
        if is_code(cell)
        and not is_solution(cell)
        and (name := grade_id(cell))
        and name in grade_ids
    }


def with_tests(notebook: Notebook, tests: Mapping[str, str]) -> Notebook:
    """The notebook with other sources in its test cells: those that are run have hidden tests,
    those that students see have none.
    """
    cells = [
        {**cell, "source": tests.get(grade_id(cell) or "", cell["source"])}
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def grade_cell(ran: CellRun, points: float) -> CellResult:
    if ran.status != "ok" or any(output["output_type"] == "error" for output in ran.outputs):
        error = next((output for output in ran.outputs if output["output_type"] == "error"), None)
        found = _said(error)[:300] if error else f"the cell's run ended as: {ran.status}"
        return CellResult(GRADED, 0.0, points, rung="assert", found=found)
    lowest = _lowest(ran, points)
    if ran.incomplete and (lowest is None or not lowest.is_number):
        return CellResult(GRADED, 0.0, points, rung="assert", found=LOST)
    if lowest is None and ran.wants_number:
        return CellResult(GRADED, 0.0, points, rung="assert", found=NO_NUMBER)
    if lowest is None or lowest.score == points:
        return CellResult(GRADED, points, points)
    return CellResult(GRADED, lowest.score, points, rung="assert", found=lowest.why)


def _said(error: dict) -> str:
    """An error as Python shows it: a bare assert has nothing to say behind its name."""
    return f"{error['ename']}: {error['evalue']}" if error["evalue"].strip() else error["ename"]


def record_outputs(ran: CellRun, marked: CellResult) -> list[dict]:
    """The cell's own text, why points are missing, then the mark as nbgrader reads it: one result,
    no stderr, no error before it.
    """
    shown = []
    for output in ran.outputs:
        if output["output_type"] == "error":
            shown.append({"output_type": "stream", "name": "stdout", "text": f"{_said(output)}\n"})
        elif output["output_type"] != RESULT:
            shown.append(
                {**output, "name": "stdout"} if output["output_type"] == "stream" else output
            )
    is_told = not marked.found or any(output["output_type"] == "error" for output in ran.outputs)
    why = "" if is_told else f"[grader] {marked.found}\n"
    label = {"output_type": "stream", "name": "stdout", "text": f"{why}{LABEL}"}
    return [*shown, label, number(marked.score or 0.0)]


def number(value: float) -> dict:
    """The one result of a cell that nbgrader takes for its mark."""
    return {
        "output_type": RESULT,
        "data": {"text/plain": repr(float(value))},
        "metadata": {},
        "execution_count": None,
    }


def shows_number(ran: CellRun, points: float) -> bool:
    """Whether the cell ran through, and its result is a number of points."""
    lowest = _lowest(ran, points)
    return ran.status == "ok" and lowest is not None and lowest.is_number and not lowest.why


def expecting(
    cells: Mapping[int, CellRun], published: Sequence[Mapping], numbers: Collection[str]
) -> dict[int, CellRun]:
    """The runs of the `published` cells, where those with the grade_ids of `numbers` must show a
    number of points.
    """
    return {
        index: replace(ran, wants_number=grade_id(published[index]) in numbers)
        for index, ran in cells.items()
    }


@dataclass(frozen=True)
class _Result:
    """What one result of a test cell is worth. `why` says so where it is worth nothing; `shown` is an
    output that is worth the same, and holds nothing else.
    """

    score: float
    is_number: bool
    why: str
    shown: dict


def _lowest(ran: CellRun, points: float) -> _Result | None:
    """The result of the cell that is worth least, or None where it has none."""
    results = [
        _result(output, points, ran.wants_number)
        for output in ran.outputs
        if output["output_type"] == RESULT
    ]
    return min(results, key=lambda one: one.score, default=None)


def _result(output: Mapping, points: float, wants_number: bool) -> _Result:
    text = output["data"].get("text/plain")
    if not isinstance(text, str) or not text.strip():
        return _Result(0.0, False, NO_TEXT, {**number(0.0), "data": {}})
    try:
        value = float(text)
    except ValueError:
        shown = {**number(0.0), "data": {"text/plain": "'a text'"}}
        if wants_number:
            return _Result(0.0, False, NO_NUMBER, shown)
        return _Result(points, False, "", shown)
    if math.isfinite(value) and 0.0 <= value <= points:
        score = round(value, 4)
        return _Result(score, True, "", number(score))
    outside = OUTSIDE.format(points=f"{points:g}")
    return _Result(0.0, True, outside, number(math.nan))

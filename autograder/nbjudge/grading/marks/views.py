"""What is shown of cells that ran beside hidden tests or hidden inputs.

Of such cells nothing is kept (`plain_tests.concealed`, rule 5 of `boxes.inside.session`), because
what they print could spell what is hidden. A plot that a person marks would be lost with it, and so
would the reason why a test fails that students see. So:

1. A notebook runs a second time where a person marks something in it that the student wrote, and
   code other than tests stands behind the first hidden test or check; and where a test fails of
   which nothing is kept.
2. This run has the tests as students have them, no exercise is called, and it has a box of its own:
   nothing hidden is in its reach. It has the budget of any run, out of the same submission's.
3. No mark comes of it. Of the cells that are no tests it gives what is shown, and of the files that
   the notebook writes those that are kept beside it.
4. A test that fails in both runs has its error, with the line of the test, from this one. One that
   fails beside the hidden tests alone says no more than that.
5. Where it cannot show a cell, the cell says so in one line: it may need what a hidden test
   defines, or the submission's time may be over.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from nbjudge.boxes.inside.outputs import stream
from nbjudge.boxes.inside.testing import tested_exercise
from nbjudge.grading.document.cells import (
    Notebook,
    grade_id,
    is_code,
    is_grade,
    is_marked_by_hand,
    is_own,
    is_task,
    is_test,
    known_metadata,
)
from nbjudge.grading.document.syntax import parse
from nbjudge.grading.execution.progress import CellRun, NotebookRun
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.marks.error_lines import failing_line

NEEDS_HIDDEN = (
    "[grader] beside the hidden tests this cell ran through, and without them it does not: it may "
    "use what a hidden test defines or has changed\n"
)
NOT_SHOWN = (
    "[grader] what this cell shows is not kept: it did not run without the hidden tests in the time "
    "that the submission had\n"
)


def is_needed(skeleton: Notebook, notebook: Notebook, whole: Notebook) -> bool:
    """Whether a person who marks the student's `notebook`, which ran as `whole`, would see too
    little of it. `skeleton` is what the student was given.
    """
    given = {grade_id(cell): cell["source"] for cell in skeleton["cells"] if grade_id(cell)}
    cells = notebook["cells"]
    asks = any(
        is_marked_by_hand(cell) and (is_task(cell) or cell["source"] != given.get(grade_id(cell)))
        for cell in cells
    ) or (any(map(is_marked_by_hand, cells)) and any(map(is_own, cells)))
    return asks and any(index >= first_hidden(notebook, whole) for index in _shown(notebook))


def is_unexplained(cells: Mapping[int, CellRun], notebook: Notebook, whole: Notebook) -> bool:
    """Whether a test failed of which nothing is kept: the notebook's `cells` are concealed."""
    return any(True for _ in _unexplained(cells, notebook, whole))


def explained(
    cells: Mapping[int, CellRun], view: NotebookRun, notebook: Notebook, whole: Notebook
) -> dict[int, CellRun]:
    """The runs of the cells, with the errors of the second run at the tests that fail in both."""
    found = dict(cells)
    for index in _unexplained(cells, notebook, whole):
        seen = _first_error(view.cells.get(index, CellRun("not_run")))
        if seen is None:
            continue
        line = failing_line(seen)
        # A traceback is the student's to write, and a line of the test is the course's.
        tested = {each.strip() for each in notebook["cells"][index]["source"].split("\n")}
        at = f"in the line `{line.strip()}`" if line.strip() in tested else ""
        told = ", ".join(filter(None, (str(seen["evalue"]).strip(), at)))
        outputs = [
            {**one, "ename": seen["ename"], "evalue": told}
            if one["output_type"] == "error"
            else one
            for one in cells[index].outputs
        ]
        found[index] = replace(cells[index], outputs=outputs)
    return found


def _unexplained(
    cells: Mapping[int, CellRun], notebook: Notebook, whole: Notebook
) -> Iterator[int]:
    first = plain_tests.first_hidden(notebook["cells"], whole["cells"])
    for index, ran in cells.items():
        if index >= first and is_test(notebook["cells"][index]) and _first_error(ran):
            yield index


def _first_error(ran: CellRun) -> Mapping | None:
    return next((one for one in ran.outputs if one["output_type"] == "error"), None)


def first_hidden(notebook: Notebook, whole: Notebook) -> int:
    """The index of the first cell of which nothing is kept, or the number of cells."""
    checks = (index for index, cell in enumerate(notebook["cells"]) if _is_check(cell))
    return min(
        plain_tests.first_hidden(notebook["cells"], whole["cells"]),
        next(checks, len(notebook["cells"])),
    )


def without_checks(notebook: Notebook) -> Notebook:
    """The notebook as it runs for the view: no exercise is asked for anything."""
    cells = [{**cell, "source": ""} if _is_check(cell) else cell for cell in notebook["cells"]]
    return {**notebook, "cells": cells}


def joined(
    cells: Mapping[int, CellRun], view: NotebookRun | None, notebook: Notebook, whole: Notebook
) -> dict[int, CellRun]:
    """The runs of the cells, with what the second run shows of those that are kept from sight. How
    a cell ended stays as it was. Without a `view` there was no time for one.
    """
    first = first_hidden(notebook, whole)
    shown = set(_shown(notebook))
    # Beside hidden inputs a cell says that it ended, whether or not it raised.
    tells = not any(map(_is_check, notebook["cells"]))
    return {
        index: _joined(ran, view.cells.get(index) if view else None, tells)
        if index >= first and index in shown
        else ran
        for index, ran in cells.items()
    }


def _joined(ran: CellRun, seen: CellRun | None, tells: bool) -> CellRun:
    if seen is None or seen.status == "not_run":
        return replace(ran, outputs=[stream(NOT_SHOWN, "stdout")])
    is_odd = tells and ran.status == "ok" and seen.status != "ok"
    note = [stream(NEEDS_HIDDEN, "stdout")] if is_odd else []
    return replace(ran, outputs=[*note, *seen.outputs], execution_count=seen.execution_count)


def blind(solution: Notebook, released: Notebook) -> dict[str, list[str]]:
    """The code answers that a person marks and that cannot be shown without the hidden tests: by
    grade_id, the names that they use and that only these define. By the look of the instructor's
    own solution: nothing runs.
    """
    seen = {grade_id(cell): "".join(cell["source"]) for cell in released["cells"] if grade_id(cell)}
    hidden: set[str] = set()
    known: set[str] = set()
    found = {}
    for cell in filter(is_code, solution["cells"]):
        source = "".join(cell["source"])
        visible = seen.get(grade_id(cell), source)
        if is_test(cell):
            known |= _defined(visible)
            hidden |= _defined(source) - known
            continue
        if is_grade(cell) and (names := _used(source) & (hidden - known)):
            found[known_metadata(cell)["grade_id"]] = sorted(names)
        known |= _defined(source)
    return found


def _defined(source: str) -> set[str]:
    return {name for kind, name in _names(source) if kind is not ast.Load}


def _used(source: str) -> set[str]:
    """The names that a source reads and does not define itself."""
    return {name for kind, name in _names(source) if kind is ast.Load} - _defined(source)


def _names(source: str) -> Iterator[tuple[type, str]]:
    try:
        tree = parse(source)
    except (SyntaxError, ValueError):  # a line for IPython alone
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield type(node.ctx), node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield ast.Store, node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield ast.Store, (alias.asname or alias.name).split(".")[0]


def _shown(notebook: Notebook) -> Iterator[int]:
    """The code cells that are no tests."""
    for index, cell in enumerate(notebook["cells"]):
        if is_code(cell) and cell["source"].strip() and not is_test(cell):
            yield index


def _is_check(cell: Mapping) -> bool:
    if not (is_code(cell) and is_test(cell)):
        return False
    return tested_exercise("".join(cell["source"])) is not None

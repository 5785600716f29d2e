"""Which plain test cells show a number of points when the instructor's own solution runs: there,
everybody's result must be one.

nbgrader gives full marks to a result that is no number, because a test cell may end with any
expression. Whether one ends with a number of points is known when the solution has run once. That
happens for a notebook in which a test cell ends with an expression, in a box, and what came out is
kept for the next run.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping

from nbjudge.boxes.inside.testing import tested_exercise
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.document.cells import Notebook, is_code, is_test, known_metadata
from nbjudge.grading.document.syntax import parse
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.grading.execution.sandboxes import Sandboxes
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.published.skeletons import Skeleton
from nbjudge.grading.store import cache, fingerprints
from nbjudge.grading.store.hashes import of_blob


def in_question(solution: Notebook) -> list[str]:
    """The grade_ids of its plain test cells that end with an expression."""
    return [known_metadata(cell)["grade_id"] for _, cell in _in_question(solution)]


def numbers(skeleton: Skeleton, budget: Budget) -> dict[str, tuple[str, ...]]:
    """By notebook, the grade_ids of the test cells whose result is a number of points. Raises
    faults.Fault.
    """
    found = {}
    for name, solution in skeleton.solutions.items():
        if in_question(solution):
            found[name] = _numbers(solution, skeleton.files, budget)
    return found


def _numbers(solution: Notebook, files: Mapping[str, bytes], budget: Budget) -> tuple[str, ...]:
    held = [[path, of_blob(data)] for path, data in sorted(files.items())]
    inputs = {
        "notebook": json.dumps([solution, held], sort_keys=True),
        "budget": repr(budget),
        "harness": fingerprints.of_harness(),
        "environment": fingerprints.of_environment(),
    }

    def run_solution() -> dict[str, bytes]:
        with Sandboxes() as sandboxes:
            run = run_notebook(
                _without_checks(solution), {}, budget=budget, files=files, start=sandboxes.run
            )
        found = [
            known_metadata(cell)["grade_id"]
            for index, cell in _in_question(solution)
            if plain_tests.shows_number(run.cells[index], float(known_metadata(cell)["points"]))
        ]
        return {"numbers": json.dumps(found).encode()}

    return tuple(json.loads(cache.memo("own results", inputs, run_solution)["numbers"]))


def _in_question(solution: Notebook) -> Iterator[tuple[int, Mapping]]:
    for index, cell in enumerate(solution["cells"]):
        if is_code(cell) and is_test(cell) and _ends_with_value(_text(cell)):
            yield index, cell


def _ends_with_value(source: str) -> bool:
    if tested_exercise(source):
        return False
    try:
        body = parse(source).body
    except (SyntaxError, ValueError):  # a line for IPython alone
        return True
    return bool(body) and isinstance(body[-1], ast.Expr)


def _without_checks(solution: Notebook) -> Notebook:
    """The notebook without the test cells of exercises."""
    cells = [
        {**cell, "source": ""} if tested_exercise(_text(cell)) else cell
        for cell in solution["cells"]
    ]
    return {**solution, "cells": cells}


def _text(cell: Mapping) -> str:
    return "".join(cell["source"])

"""The other side: whoever breaks his own box, in a way that the machine could have broken it too,
gets what is deserved and no more.
"""

import pytest

from nbjudge.grading.execution.runner import Budget, TooLong, run_notebook

BUDGET = Budget(cell=20, case=20, notebook=120)


def notebook(*sources: str) -> dict:
    return {
        "cells": [
            {"cell_type": "code", "id": str(index), "metadata": {}, "source": source}
            for index, source in enumerate(sources)
        ]
    }


def statuses(*sources: str) -> list[str]:
    return [
        cell.status
        for _, cell in sorted(run_notebook(notebook(*sources), {}, budget=BUDGET).cells.items())
    ]


def test_a_kernel_that_kills_itself_is_tried_once_more_and_costs_its_cell():
    assert statuses("a = 1", "import os; os.kill(os.getpid(), 9)", "assert a == 1") == [
        "ok",
        "died",
        "ok",
    ]


def test_a_kernel_that_takes_the_place_of_the_next_costs_its_cell():
    """A new kernel's folder cannot be made; in a fresh box it can."""
    assert statuses(
        "a = 1", "import os; os.mkdir('/spool/kernel-2'); os._exit(0)", "assert a == 1"
    ) == ["ok", "died", "ok"]


def test_code_that_is_too_long_for_a_job_is_the_students():
    with pytest.raises(TooLong, match="longer than 8 MB"):
        run_notebook(notebook("x = '" + "y" * (9 << 20) + "'"), {})


def test_a_file_where_a_folder_must_be_does_not_stop_the_notebook():
    files = {"data": b"in the way", "data/table.csv": b"1", "x" * 2000: b""}
    run = run_notebook(
        notebook("print(open('data/table.csv').read())"), {}, budget=BUDGET, files=files
    )
    assert run.cells[0].status == "ok"

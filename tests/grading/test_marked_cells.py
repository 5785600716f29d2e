"""Which cells are graded, answered, tested and read-only: one module says so, as nbgrader does."""

import ast
from itertools import product
from pathlib import Path

import pytest
from nbformat import NotebookNode, from_dict
from nbgrader import utils

from nbjudge.grading.document import cells

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ("grade", "solution", "task", "locked")
# What else reads a flag by its name, and why.
READS = {
    "course/adopt_demo.py",  # it forges a notebook that it made
    "course/fitness.py",  # it holds what an author wrote to its form
    "grading/notebook/rebuild.py",  # it compares what a student says of a cell with what is so
}


def cell(kind="code", **flags) -> NotebookNode:
    return from_dict({"cell_type": kind, "metadata": {"nbgrader": {**flags, "grade_id": "a"}}})


@pytest.mark.parametrize("values", product((None, False, True), repeat=4))
def test_the_flags_mean_what_they_mean_to_nbgrader(values):
    each = cell(**{flag: on for flag, on in zip(FLAGS, values, strict=True) if on is not None})
    assert cells.is_grade(each) == utils.is_grade(each)
    assert cells.is_solution(each) == utils.is_solution(each)
    assert cells.is_task(each) == utils.is_task(each)
    assert cells.is_answer(each) == (utils.is_solution(each) or utils.is_task(each))
    if not utils.is_task(each):
        assert cells.is_read_only(each) == utils.is_locked(each)


@pytest.mark.parametrize(
    ("flags", "held"),
    [
        ({"solution": True}, {"is_answer", "is_in_gradebook"}),
        (
            {"grade": True, "locked": True},
            {"is_test", "is_graded", "is_in_gradebook", "is_read_only"},
        ),
        (
            {"grade": True, "solution": True},
            {"is_answer", "is_graded", "is_marked_by_hand", "is_in_gradebook"},
        ),
        ({"task": True}, {"is_answer", "is_graded", "is_marked_by_hand", "is_in_gradebook"}),
        ({"locked": True}, {"is_read_only"}),
        ({}, set()),
    ],
)
def test_each_kind_of_cell_is_known(flags, held):
    predicates = ("is_answer", "is_test", "is_graded", "is_marked_by_hand")
    predicates += ("is_in_gradebook", "is_read_only")
    assert {name for name in predicates if getattr(cells, name)(cell(**flags))} == held
    assert not cells.is_own({**cell(**flags), "id": f"{cells.OWN_CELL}-1"})


def test_a_cell_that_nbgrader_does_not_know_is_given_or_the_student_s_own():
    plain = {"cell_type": "code", "metadata": {}, "id": "a"}
    assert not cells.is_own(plain) and cells.is_own({**plain, "id": f"{cells.OWN_CELL}-7"})
    predicates = [name for name in vars(cells) if name.startswith("is_") and name != "is_code"]
    assert len(predicates) == 10
    assert not any(getattr(cells, name)(plain) for name in predicates)


def test_no_other_module_reads_the_flags():
    package = ROOT / "autograder" / "nbjudge"
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if reads_flags(path.read_text())
    }
    assert found == READS


@pytest.mark.parametrize(
    ("source", "does"),
    [
        ("meta['grade']", True),
        ("meta.get('task', False)", True),
        ("cell.metadata.nbgrader['solution']", True),
        ("meta['points'] or meta.get('grade_id')", False),
        ("{'grade': True}", False),
    ],
)
def test_reading_a_flag_is_seen(source, does):
    assert reads_flags(source) == does


def reads_flags(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = node.slice
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".get") and node.args:
            key = node.args[0]
        if isinstance(key, ast.Constant) and key.value in FLAGS:
            return True
    return False

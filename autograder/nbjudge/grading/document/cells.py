"""A notebook's cells as nbgrader marks them, and what follows from the marks. A notebook is the
dictionary that its JSON is, in nbformat 4's terms.

nbgrader has four flags, `grade`, `solution`, `task` and `locked`; one that is not there is false.
These are its cells:

| cell                    | grade | solution | task | who writes it | who marks it |
|-------------------------|-------|----------|------|---------------|--------------|
| autograded answer       |       | yes      |      | the student   | the tests    |
| autograder tests        | yes   |          |      | instructor    | it marks     |
| manually graded answer  | yes   | yes      |      | the student   | a person     |
| manually graded task    |       |          | yes  | the student   | a person     |
| read-only, and any other|       |          |      | instructor    | nobody       |
"""

from __future__ import annotations

from collections.abc import Mapping

Notebook = dict
# How the ids of cells begin that the student added to the published notebook.
OWN_CELL = "extra"


def nbgrader_metadata(cell: Mapping) -> dict | None:
    """nbgrader's metadata of a cell, None for a cell that nbgrader does not know."""
    return cell["metadata"].get("nbgrader")


def known_metadata(cell: Mapping) -> dict:
    """nbgrader's metadata of a cell that has them. Raises KeyError."""
    return cell["metadata"]["nbgrader"]


def grade_id(cell: Mapping) -> str | None:
    """The name by which nbgrader knows the cell."""
    return (nbgrader_metadata(cell) or {}).get("grade_id")


def is_code(cell: Mapping) -> bool:
    return cell["cell_type"] == "code"


def is_grade(cell: Mapping) -> bool:
    """Whether the cell is a test or a manually graded answer."""
    return _has(cell, "grade")


def is_solution(cell: Mapping) -> bool:
    """Whether the cell is an answer, but for a task, whose answer may stand in any cell."""
    return _has(cell, "solution")


def is_task(cell: Mapping) -> bool:
    """Whether the cell is a manually graded task."""
    return _has(cell, "task")


def is_answer(cell: Mapping) -> bool:
    """Whether the cell is the student's to fill."""
    return is_solution(cell) or is_task(cell)


def is_test(cell: Mapping) -> bool:
    """Whether the cell tests answers; in Markdown it would be a mistake of its author."""
    return is_grade(cell) and not is_solution(cell)


def is_graded(cell: Mapping) -> bool:
    """Whether the cell has a mark."""
    return is_grade(cell) or is_task(cell)


def is_marked_by_hand(cell: Mapping) -> bool:
    """Whether a person marks the cell."""
    return is_task(cell) or (is_grade(cell) and is_solution(cell))


def is_in_gradebook(cell: Mapping) -> bool:
    """Whether nbgrader's gradebook has a row for the cell: it is graded, or an answer."""
    return is_grade(cell) or is_answer(cell)


def is_read_only(cell: Mapping) -> bool:
    """Whether nbgrader puts back the cell's source when it was changed."""
    return not is_answer(cell) and (is_grade(cell) or _has(cell, "locked"))


def is_own(cell: Mapping) -> bool:
    """Whether the student added the cell to the published notebook."""
    return nbgrader_metadata(cell) is None and str(cell.get("id")).startswith(OWN_CELL)


def _has(cell: Mapping, flag: str) -> bool:
    return bool((nbgrader_metadata(cell) or {}).get(flag))

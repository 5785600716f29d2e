"""A student's page that says less: which items were earned, or only how many, in place of what was
expected and found. Nothing of the student's notebook stands in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nbjudge.course.filled import ENVIRONMENT
from nbjudge.grading.config.folders import Course
from nbjudge.grading.marks import reasons
from nbjudge.grading.marks.results import MANUAL, SubmissionResult


@dataclass(frozen=True)
class Row:
    """Something that gives points: None is for what a person has still to mark."""

    title: str
    earned: bool | None


def replace(
    course: Course, assignment: str, result: SubmissionResult, *, only_number: bool
) -> None:
    """Write the student's pages anew, each in its place."""
    folder = course.feedback / result.student / assignment
    for name in result.notebooks:
        page = folder / f"{name}.html"
        if page.is_file():
            page.write_text(text(result, name, only_number=only_number), encoding="utf-8")


def text(result: SubmissionResult, notebook: str, *, only_number: bool) -> str:
    rows = list(_rows(result, notebook))
    marked = [row for row in rows if row.earned is not None]
    return ENVIRONMENT.get_template("items.html.j2").render(
        notebook=notebook,
        said=reasons.of_notebook(result, notebook),
        rows=[] if only_number else rows,
        earned=sum(bool(row.earned) for row in marked),
        marked=len(marked),
        waiting=len(rows) - len(marked),
    )


def _rows(result: SubmissionResult, notebook: str) -> Iterator[Row]:
    """Of a cell without items the cell itself: earned if it has all of its points."""
    for key, cell in result.cells.items():
        book, _, grade_id = key.partition("/")
        if book == notebook:
            if cell.items:
                yield from (Row(item.title, item.earned) for item in cell.items)
            elif cell.status == MANUAL:
                yield Row(cell.label or grade_id, None)
            else:
                yield Row(cell.label or grade_id, (cell.score or 0.0) >= cell.max_score)

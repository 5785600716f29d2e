"""Marks that a person has still to give: nbgrader's page for a student shows each as 0 points. Here it
says so in the place of the number, and that the notebook's sum is one so far.

nbgrader's template makes numbers with Jinja's filters `float` and `round`: ours leave a text as it
is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from jinja2.filters import do_float, do_round
from nbformat import NotebookNode
from nbgrader.api import Grade, Gradebook, MissingEntry, SubmittedNotebook
from nbgrader.preprocessors import NbGraderPreprocessor

from nbjudge.grading.config.folders import Course
from nbjudge.grading.document.cells import grade_id
from nbjudge.grading.gradebook import database, record
from nbjudge.grading.marks import reasons

NOT_YET = "not marked yet"
SO_FAR = " so far"
NAMED = 6


class NotMarkedYet(NbGraderPreprocessor):
    """Behind nbgrader's GetGrades: put the texts into the place of its numbers."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        named = resources["nbgrader"]
        with Gradebook(named["db_url"]) as book:
            found = book.find_submission_notebook(
                named["notebook"], named["assignment"], named["student"]
            )
            open_marks = set(_open(found))
        for cell in nb.cells:
            if grade_id(cell) in open_marks:
                cell.metadata.nbgrader["score"] = NOT_YET
        if open_marks:
            named["score"] = f"{round(named['score'], 2)}{SO_FAR}"
        return nb, resources


def _is_ours(value: object) -> bool:
    return isinstance(value, str) and value.endswith((NOT_YET, SO_FAR))


def _as_float(value: object, default: float = 0.0) -> object:
    return value if _is_ours(value) else do_float(value, default)


def _as_rounded(value: object, precision: int = 0) -> object:
    return value if _is_ours(value) else do_round(value, precision)  # type: ignore[arg-type]


# By the names that templates know Jinja's under.
FILTERS = {"float": _as_float, "round": _as_rounded}


def lines(course: Course, assignment: str, students: Collection[str]) -> Iterator[str]:
    """A line on how many of these students' marks wait for a person, where any does."""
    if not database.exists(course):
        return
    waiting: dict[str, int] = {}
    with record.gradebook(course) as book:
        try:
            submissions = book.find_assignment(assignment).submissions
        except MissingEntry:
            return
        for submission in submissions:
            count = sum(len(list(_open(notebook))) for notebook in submission.notebooks)
            if count and submission.student_id in students:
                waiting[submission.student_id] = count
    if waiting:
        marks = sum(waiting.values())
        yield (
            f"{assignment}: {marks} mark{'s' * (marks != 1)} of {len(waiting)} student{'s' * (len(waiting) != 1)} "
            f"{'are' if marks != 1 else 'is'} still to be given by a person, and the pages say so: "
            f"{reasons.listed(sorted(waiting), NAMED)}. Type `{course.typed('lab', '--instructor')}`, open Manual Grading, "
            "and type this command again when all are given"
        )


def _open(notebook: SubmittedNotebook) -> Iterator[str]:
    """The cells of a notebook that nobody has marked yet."""
    return (grade.name for grade in notebook.grades if _is_open(grade))


def _is_open(grade: Grade) -> bool:
    is_given = grade.auto_score is not None or grade.manual_score is not None
    return bool(grade.needs_manual_grade) and not is_given and not grade.extra_credit

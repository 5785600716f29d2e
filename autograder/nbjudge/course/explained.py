"""The first cell of a student's page: what changed the mark after the checks had run, and what was
found about the file and its given cells.

A cell like any other, so that whatever draws the page draws it too. Names of files and tags in it
were chosen by students: they are text, and nothing else.
"""

from __future__ import annotations

import html
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from nbjudge import plain_text
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import record
from nbjudge.grading.marks import reasons

TITLE = "How this mark came about"
CELL = "how-this-mark-came-about"
# The given cell of a page that is cut short stays, as all locked ones do.
_LOCKED = {
    "schema_version": 3,
    "grade_id": CELL,
    "grade": False,
    "solution": False,
    "task": False,
    "locked": True,
}
# What Markdown would read in a block of HTML, and the bracket by which a page knows its formulas.
_FORMULAS = str.maketrans({"$": "&#36;", "\\": "&#92;", "`": "&#96;", "\u27e6": "["})


class HowTheMarkCameAbout(NbGraderPreprocessor):
    """Put the cell first, where there is anything to say. nbgrader's converters work in the course
    folder.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        named = resources["nbgrader"]
        course = Course.at(Path.cwd(), named["db_url"])
        with Gradebook(named["db_url"]) as book:
            student = named["student"]
            found = record.last_results(course, book, named["assignment"], [student])
        if said := reasons.of_notebook(found[student], named["notebook"]):
            nb.cells.insert(0, new_markdown_cell(source(said), metadata={"nbgrader": _LOCKED}))
        return nb, resources


def source(said: list[str]) -> str:
    """The cell's Markdown: one block of HTML, in which every text is text."""
    items = "".join(f"<li>{_inert(text)}</li>" for text in said)
    return f'<div class="alert alert-warning"><strong>{TITLE}</strong><ul>{items}</ul></div>'


def _inert(text: str) -> str:
    return html.escape(plain_text.line(text)).translate(_FORMULAS)

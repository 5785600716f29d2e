"""nbconvert's HTML exporter with a limit for each page: what one student wrote never holds up the
pages of the others.

`sanitize.source` keeps what is known to be slow out of a recorded notebook. This limit holds for
what is not known, for courses graded before, and for notebooks that somebody else recorded.
"""

from __future__ import annotations

import copy
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.utils import is_locked
from traitlets import CFloat

from autograder import plain_text

LEFT_OUT = (
    "This cell is not shown: the page took too long to draw. The notebook itself is as it was "
    "handed in, and so is its mark."
)


class PageTooSlow(BaseException):
    """No Exception: what draws a page treats those as faults of one formula."""


class CoursePage(HTMLExporter):
    """The page of a notebook; without what the student wrote, where it takes too long with it.

    `c.CoursePage.seconds = 300` in `nbgrader_config.py` gives each page more time.
    """

    seconds = CFloat(
        60, min=1, help="Processor time that a page may take, whatever else the machine does."
    ).tag(config=True)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.cut_short: list[str] = []

    def from_notebook_node(self, nb: NotebookNode, resources: dict | None = None, **options):
        try:
            with _limit(self.seconds):
                return super().from_notebook_node(nb, copy.deepcopy(resources), **options)
        except PageTooSlow:
            pass
        told = _told(resources or {}, self.seconds)
        try:
            with _limit(self.seconds):
                page = super().from_notebook_node(_without_own(nb), resources, **options)
        except PageTooSlow:
            raise RuntimeError(f"{told}, with and without what the student wrote") from None
        self.cut_short.append(
            f"{told}, so what the student wrote is not on it, and the checks and marks are. The notebook in autograded/ "
            "has all of it; for the whole page set c.CoursePage.seconds in nbgrader_config.py to more than "
            f"{self.seconds:g}, and type the command again"
        )
        self.log.warning("%s", self.cut_short[-1])
        return page


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise PageTooSlow when the process has computed for so long. Only the main thread hears
    signals; any other one has no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    is_over = False

    def over(*_) -> None:
        if not is_over:
            raise PageTooSlow

    before = signal.signal(signal.SIGVTALRM, over)
    # Again each second: in a finalizer Python would drop what is raised.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _without_own(notebook: NotebookNode) -> NotebookNode:
    short = copy.deepcopy(notebook)
    for cell in short.cells:
        if not is_locked(cell):
            cell.source = LEFT_OUT
            cell.pop("attachments", None)
            if cell.cell_type == "code":
                cell.cell_type = "markdown"
                del cell["outputs"], cell["execution_count"]
    return short


def _told(resources: dict, seconds: float) -> str:
    named = resources.get("nbgrader", resources)  # feedback's, or those of formgrader's page
    student, notebook = named.get("student", "?"), named.get("notebook", named.get("notebook_id"))
    name = plain_text.line(notebook or Path(resources["metadata"]["name"]).name)
    return f"{plain_text.line(student)}: the page of {name} took more than {seconds:g} s to draw"

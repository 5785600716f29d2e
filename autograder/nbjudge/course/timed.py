"""nbconvert's HTML exporter, quicker and with a limit for each page: what one student wrote never
holds up the pages of the others.

`sanitize.source` keeps what is known to be slow out of a recorded notebook. This limit holds for
what is not known, for courses graded before, and for notebooks that somebody else recorded.
"""

from __future__ import annotations

import copy
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode
from nbgrader.utils import is_locked
from traitlets import CFloat

from nbjudge import plain_text
from nbjudge.course import boxed, not_marked, pages
from nbjudge.grading.published import rubric

LEFT_OUT = (
    "This cell is not shown: the page took too long to draw. The notebook itself is as it was "
    "handed in, and so is its mark."
)


# An image without a text in its place, and cells that a keyboard does not reach in JupyterLab's
# template.
_FOR_REPAIR = re.compile(r"<img\b(?![^>]*\salt=)|\bjp-(?:Cell-inputWrapper|OutputArea-output)\b")


class PageTooSlow(BaseException):
    """No Exception: what draws a page treats those as faults of one formula."""


class _Drawn(TemplateExporter):
    """What HTMLExporter gets from the templates. It reads all of it into a tree, for the repair of
    a few tags, which takes longer than the rest of a page: so it gets only what needs that.
    """

    def from_notebook_node(self, nb: NotebookNode, resources: dict | None = None, **options):
        page, resources = super().from_notebook_node(nb, resources, **options)
        self._whole = None if _FOR_REPAIR.search(page) else page
        return page if self._whole is None else "", resources

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.bytecode_cache = _Compiled()
        environment.filters["markdown2html"] = pages.markdown2html
        environment.filters.update(not_marked.FILTERS)
        return environment


class _Compiled(BytecodeCache):
    """Templates of this process, which each exporter would compile again."""

    _known: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self._known.get(self._key(bucket)):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[self._key(bucket)] = bucket.bytecode_to_string()

    @staticmethod
    def _key(bucket: Bucket) -> str:
        return bucket.key + bucket.checksum


class CoursePage(HTMLExporter, _Drawn):
    """The page of a notebook; without what the student wrote, where it takes too long with it.

    `c.CoursePage.seconds = 300` in `nbgrader_config.py` gives each page more time.
    """

    seconds = CFloat(
        60, min=1, help="Processor time that a page may take, whatever else the machine does."
    ).tag(config=True)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cut_short: list[str] = []
        # Whatever the settings say: nothing that a student wrote is live on a page, and no file is
        # read for one.
        self.sanitize_html = True
        self.embed_images = False

    def _init_preprocessors(self) -> None:
        """None that executes a notebook, which a page only shows."""
        super()._init_preprocessors()
        self._preprocessors = [step for step in self._preprocessors if not boxed.executes(step)]

    def from_notebook_node(self, nb: NotebookNode, resources: dict | None = None, **options):
        try:
            with _limit(self.seconds):
                return self._page(nb, copy.deepcopy(resources), **options)
        except PageTooSlow:
            pass
        told = _told(resources or {}, self.seconds)
        try:
            with _limit(self.seconds):
                page = self._page(_without_own(nb), resources, **options)
        except PageTooSlow:
            raise RuntimeError(f"{told}, with and without what the student wrote") from None
        self.cut_short.append(
            f"{told}, so what the student wrote is not on it, and the checks and marks are. The notebook in autograded/ "
            "has all of it; for the whole page set c.CoursePage.seconds in nbgrader_config.py to more than "
            f"{self.seconds:g}, and type the command again"
        )
        self.log.warning("%s", self.cut_short[-1])
        return page

    def _page(self, nb: NotebookNode, resources: dict | None, **options):
        repaired, resources = super().from_notebook_node(nb, resources, **options)
        return self._whole or repaired, resources


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
        if not (is_locked(cell) or rubric.is_rubric(cell)):
            cell.source = LEFT_OUT
            cell.pop("attachments", None)
            if cell.cell_type == "code":
                cell.cell_type = "markdown"
                del cell["outputs"], cell["execution_count"]
    return short


def _told(resources: dict, seconds: float) -> str:
    named = resources.get("nbgrader", resources)  # feedback's, or those of formgrader's page
    student = named.get("student", "?")
    notebook = named.get("notebook", named.get("notebook_id"))
    name = plain_text.line(notebook or Path(resources["metadata"]["name"]).name)
    return f"{plain_text.line(student)}: the page of {name} took more than {seconds:g} s to draw"

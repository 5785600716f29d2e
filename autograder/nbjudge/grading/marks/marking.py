"""The marks of a notebook's cells, and what is written beside them: into the result, and into the
notebook that is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nbjudge import render
from nbjudge.grading.document import cell_names, sanitize
from nbjudge.grading.document.cells import (
    Notebook,
    is_answer,
    is_code,
    is_graded,
    is_own,
    is_solution,
    is_task,
    is_test,
    known_metadata,
    nbgrader_metadata,
)
from nbjudge.grading.execution.progress import CellRun, NotebookRun
from nbjudge.grading.marks import plain_tests
from nbjudge.grading.marks.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    UNGRADED,
    CellResult,
    ItemResult,
    NotebookResult,
    SubmissionResult,
)
from nbjudge.grading.notebook.rebuild import NOTE
from nbjudge.verdict import Item, Verdict

# Python's own rules for colours: IPython's take minutes for a line of dots.
LANGUAGE = {"name": "python"}
# How a cell ended that neither ran through nor raised.
_ENDS = {
    "timeout": "was stopped: its time was over",
    "died": "ended its kernel",
    "not_run": "did not run to its end",
}


def mark_cells(
    result: SubmissionResult,
    name: str,
    *,
    skeleton: Notebook,
    notebook: Notebook,
    run: NotebookRun,
    verdicts: Mapping[str, Verdict],
    has_files: bool = False,
) -> None:
    """Put what ran and what was judged into the notebook's cells, and a mark for each graded cell
    into the result. `verdicts` are by grade_id; `has_files` says whether the student handed in
    files beside the notebooks, which may be what a task asks for.
    """
    called = cell_names.names(skeleton["cells"])
    is_written = has_files or any(map(_is_written, notebook["cells"]))
    notebook["metadata"]["language_info"] = dict(LANGUAGE)
    published = {
        meta["grade_id"]: cell["source"]
        for cell in skeleton["cells"]
        if (meta := nbgrader_metadata(cell))
    }
    for index, cell in enumerate(notebook["cells"]):
        ran = run.cells.get(index, CellRun("not_run"))
        meta = nbgrader_metadata(cell)
        if is_code(cell):
            cell["outputs"] = list(ran.outputs)
            cell["execution_count"] = ran.execution_count
        is_given = meta is not None and cell["source"] == published[meta["grade_id"]]
        # What a task asks for stands in cells of the student's own, or beside the notebook.
        is_untouched = is_given and not (is_task(cell) and is_written)
        if not is_given and (is_own(cell) or is_answer(cell)):
            cell["source"] = sanitize.source(cell)
        if meta is not None and is_graded(cell):
            verdict = verdicts.get(meta["grade_id"])
            marked = _marked(cell, ran, verdict, is_untouched)
            marked.label = called.get(meta["grade_id"], "")
            result.cells[f"{name}/{meta['grade_id']}"] = marked


def _is_written(cell: Mapping) -> bool:
    """Whether it is a cell of the student's own that holds something."""
    return is_own(cell) and cell["id"] != NOTE and bool(cell["source"].strip())


def _marked(cell: dict, ran: CellRun, verdict: Verdict | None, is_untouched: bool) -> CellResult:
    points = float(known_metadata(cell)["points"])
    if is_answer(cell):
        if is_untouched:
            return CellResult(GRADED, 0.0, points)
        return CellResult(MANUAL, None, points)
    if verdict:
        return judged(cell, verdict)
    if not is_code(cell):
        return CellResult(MANUAL, None, points)
    marked = plain_tests.grade_cell(ran, points)
    cell["outputs"] = plain_tests.record_outputs(ran, marked)
    return marked


def judged(cell: dict, verdict: Verdict) -> CellResult:
    """The mark of a test cell whose exercise was judged; the verdict is shown below the cell."""
    points = float(known_metadata(cell)["points"])
    score = _share(verdict, points)
    cell["outputs"] = verdict_outputs(render.text(verdict) + "\n", score)
    return _from_verdict(verdict, score, points)


def _share(verdict: Verdict, points: float) -> float:
    """The verdict's share of the points that the gradebook gives the cell."""
    share = verdict.score / verdict.max_score if verdict.max_score else 0.0
    return round(min(max(share, 0.0), 1.0) * points, 4)


def _from_verdict(verdict: Verdict, score: float, points: float) -> CellResult:
    broken = verdict.broken
    items = [_item(item, points / verdict.max_score) for item in verdict.items]
    if not broken:
        return CellResult(GRADED, score, points, items=items)
    fields = ("case", "expected", "found", "cause", "read", "misconception")
    texts = {field: getattr(broken, field) for field in fields}
    return CellResult(GRADED, score, points, rung=broken.name, items=items, **texts)


def _item(item: Item, scale: float) -> ItemResult:
    return ItemResult(
        name=item.name,
        title=item.title,
        points=round(item.points * scale, 4),
        earned=bool(item.passed),
        failed=list(item.failed),
        rung=item.rung,
        found=item.found,
    )


def verdict_outputs(text: str, score: float) -> list[dict]:
    """What nbgrader reads a mark from: the explanation on stdout, then exactly one result, a float
    between 0 and the cell's points.
    """
    return [{"output_type": "stream", "name": "stdout", "text": text}, plain_tests.number(score)]


def first_trouble(notebook: Notebook, run: NotebookRun) -> str | None:
    """The first of the student's cells that did not run through: what the ladder alone would call a
    missing function. What ran through in another place is no trouble.
    """
    for cell, ran in _troubled(notebook, run):
        meta = nbgrader_metadata(cell)
        if is_solution(cell) if meta else is_own(cell):
            name = meta["grade_id"] if meta else "a cell of the student's own"
            return f"{name}: the cell {_ENDS.get(ran.status) or _raised(ran)}"
    return None


def given_trouble(notebook: Notebook, run: NotebookRun) -> str | None:
    """The first given cell outside of nbgrader that did not run through: it costs nothing by itself."""
    for cell, ran in _troubled(notebook, run):
        if nbgrader_metadata(cell) is None and not is_own(cell):
            line = next(iter(cell["source"].strip().splitlines()), "")[:60]
            return f"a given cell (`{line}`) {_ENDS.get(ran.status) or _raised(ran)}"
    return None


def _troubled(notebook: Notebook, run: NotebookRun) -> Iterator[tuple[Mapping, CellRun]]:
    """The cells that did not run through, in order, and nowhere else either."""
    cells = notebook["cells"]
    fine = {cells[index]["source"] for index, ran in run.cells.items() if ran.status == "ok"}
    for index, cell in enumerate(cells):
        ran = run.cells.get(index)
        if ran is not None and ran.status != "ok" and cell["source"] not in fine:
            yield cell, ran


def _raised(ran: CellRun) -> str:
    errors = (output["ename"] for output in ran.outputs if output["output_type"] == "error")
    name = next(errors, "an error")
    if name == "SystemExit":
        return "called exit() or quit(), which ended it there"
    # A student chose the name of the exception.
    return f"raised {name if name.isidentifier() and len(name) <= 60 else 'an exception'}"


def without_marks(
    result: SubmissionResult, skeleton: Notebook, name: str, status: str, reason: str
) -> None:
    """A notebook that earned nothing (`ungradable`), or that has no document (`ungraded`)."""
    result.notebooks[name] = NotebookResult(status, reason)
    document = {**skeleton, "cells": [_emptied(cell, reason) for cell in skeleton["cells"]]}
    called = cell_names.names(skeleton["cells"])
    for meta in map(known_metadata, filter(is_graded, skeleton["cells"])):
        points = float(meta["points"])
        label = called.get(meta["grade_id"], "")
        result.cells[f"{name}/{meta['grade_id']}"] = (
            CellResult(GRADED, 0.0, points, label=label)
            if status == UNGRADABLE
            else CellResult(UNGRADED, None, points, label=label)
        )
    if status == UNGRADABLE:
        result.documents[name] = document


def _emptied(published: Mapping, reason: str) -> dict:
    """A published cell without outputs; a test cell says why it earned nothing."""
    if not is_code(published):
        return dict(published)
    said = verdict_outputs(f"This notebook could not be graded: {reason}\n", 0.0)
    return {**published, "outputs": said if is_test(published) else [], "execution_count": None}

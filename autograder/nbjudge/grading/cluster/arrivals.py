"""A result that came from a worker: bytes to be doubted. It counts when it is what this submission
can have earned, in form and amount.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields

import nbformat

from nbjudge import wire
from nbjudge.grading import beside, rubric, sanitize, skeletons
from nbjudge.grading.marking import LANGUAGE
from nbjudge.grading.rebuild import EXTRA, MAX_CELLS
from nbjudge.grading.results import (
    GRADED,
    MANUAL,
    UNGRADABLE,
    UNGRADED,
    CellResult,
    NotebookResult,
    SubmissionResult,
)
from nbjudge.grading.skeletons import Notebook, are_worth_the_same, nbgrader_metadata
from nbjudge.grading.task import Task

MAX_RESULT = 32 << 20
MAX_ITEMS = 2_000_000
MAX_DEPTH = 64
MAX_TEXT = 100_000
MAX_SECONDS = 1e6


class Rejected(ValueError):
    """The bytes are no result of this submission. The text says why."""


def accept(data: bytes, task: Task) -> SubmissionResult:
    """The result that the bytes hold. Raises Rejected."""
    value = _parsed(data)
    _keys(value, SubmissionResult, "the result")
    current = task.skeletons[task.current]
    _header(value, task, current)
    notebooks = _notebooks(value["notebooks"], current)
    cells = _cells(value["cells"])
    documents = _each(value["documents"], "documents")
    graded = {name for name, book in notebooks.items() if book.status != UNGRADED}
    _need(documents.keys() == graded, "its documents are not its notebooks")
    _contents(task, notebooks, cells, documents)
    is_waiting = any(cell.status == MANUAL for cell in cells.values())
    _need(value["needs_manual"] == is_waiting, "needs_manual does not fit its cells")
    read = {"notebooks": notebooks, "cells": cells, "documents": documents}
    return SubmissionResult(**{**value, **read, "secret": task.submission.secret})


def _parsed(data: bytes) -> dict:
    if len(data) > MAX_RESULT:
        raise Rejected(f"it is larger than {MAX_RESULT >> 20} MB")
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > MAX_ITEMS:
        raise Rejected(f"it holds more than {MAX_ITEMS} values")
    try:
        return wire.safe_json(data, MAX_DEPTH)
    except wire.WireError as error:
        raise Rejected(str(error)) from None


def _header(value: dict, task: Task, current: Mapping[str, Notebook]) -> None:
    """Everything of a result but its notebooks, cells and documents."""
    _need(value["student"] == task.submission.student, "it names another student")
    _need(value["timestamp"] == task.submission.timestamp, "its time is not the submission's")
    most = sum(map(skeletons.max_score, current.values()))
    is_maximum = _is_number(value["max_score"]) and value["max_score"] == most
    _need(is_maximum, "its maximum is not the assignment's")
    are_seconds = _is_number(value["seconds"]) and 0 <= value["seconds"] <= MAX_SECONDS
    _need(are_seconds, "its seconds are no time that it can have taken")
    _need(isinstance(value["needs_manual"], bool), "needs_manual is neither true nor false")
    _need(_is_text(value["fault"], none=True), "its fault is no text")
    ours = (value["secret"], value["settled"], value["earlier"])
    is_silent = all(each is None for each in ours) and value["late_penalty"] == 0
    _need(is_silent, "it says what is not a worker's to say")
    for texts in (value["tampered"], value["remarks"]):
        is_short = isinstance(texts, list) and len(texts) <= 2 * MAX_CELLS * len(current)
        _need(is_short and all(map(_is_text, texts)), "its remarks are no texts")
    are_counts = type(value["failures"]) is int and _is_number(value["spent"])
    _need(are_counts, "its counts are no numbers")
    _need(value["waiting"] == [], "it is not done")
    are_files = beside.are_kept(value["files"]) and value["files"].keys() <= current.keys()
    _need(are_files, "its files are no files")


def _contents(
    task: Task,
    notebooks: Mapping[str, NotebookResult],
    cells: Mapping[str, CellResult],
    documents: Mapping[str, dict],
) -> None:
    """The cells are those of a published version, and the documents fit them."""
    current = task.skeletons[task.current]
    versions = {name: _fitting(name, cells, documents.get(name), task) for name in current}
    expected = {
        key
        for name, version in versions.items()
        for key in _points(name, task.skeletons[version][name])
    }
    _need(cells.keys() == expected, "its cells are not the assignment's")
    for name, document in documents.items():
        is_graded = notebooks[name].status == GRADED
        rubrics = task.rubrics[versions[name]].get(name, {}) if is_graded else {}
        _document(document, task.skeletons[versions[name]][name], rubrics, is_graded)
        _marks(name, document, cells)


def _notebooks(value: object, current: Mapping[str, Notebook]) -> dict[str, NotebookResult]:
    found = {}
    for name, book in _each(value, "notebooks").items():
        _keys(book, NotebookResult, "a notebook")
        _need(book["status"] in (GRADED, UNGRADABLE, UNGRADED), "a notebook's status is unknown")
        _need(_is_text(book["reason"], none=True), "a notebook's reason is no text")
        found[name] = NotebookResult(**book)
    _need(found.keys() == current.keys(), "its notebooks are not the assignment's")
    return found


def _cells(value: object) -> dict[str, CellResult]:
    return {key: _cell_result(cell) for key, cell in _each(value, "cells").items()}


def _cell_result(value: dict) -> CellResult:
    _keys(value, CellResult, "a cell")
    status, score, most = value["status"], value["score"], value["max_score"]
    _need(status in (GRADED, MANUAL, UNGRADED), "a cell's status is unknown")
    _need(_is_number(most), "a cell's maximum is no number")
    _need((score is not None) == (status == GRADED), "a cell's score does not fit its status")
    is_within = score is None or (_is_number(score) and 0 <= score <= most)
    _need(is_within, "a cell's score is not between 0 and its points")
    texts = [value[name] for name in ("expected", "found", "cause", "read", "misconception")]
    _need(all(map(_is_text, texts)), "a cell's explanation is no text")
    are_names = _is_text(value["rung"], none=True) and _is_text(value["case"], none=True)
    _need(are_names, "a cell's rung or case is no text")
    return CellResult(**value)


def _fitting(name: str, cells: Mapping[str, CellResult], document: object, task: Task) -> str:
    """The published version of a notebook that the result is of: its cells have those points, its
    document that metadata.
    """
    for version in sorted(task.skeletons, key=lambda one: one != task.current):
        skeleton, today = (task.skeletons[each].get(name) for each in (version, task.current))
        if skeleton is None or not are_worth_the_same(skeleton, today):
            continue
        points = _points(name, skeleton)
        graded = {key: cell.max_score for key, cell in cells.items() if key.startswith(f"{name}/")}
        if graded == points and (document is None or _is_framed(document, skeleton)):
            return version
    raise Rejected(f"{name} is no published version of the notebook")


def _is_framed(document: Mapping, skeleton: Notebook) -> bool:
    """Whether a recorded notebook is the published one but for its cells, and but for the language
    that marking writes into it.
    """
    frame, published = _frame(document), _frame(skeleton)
    marked = {**published, "metadata": {**published["metadata"], "language_info": LANGUAGE}}
    return frame in (published, marked)


def _frame(notebook: Mapping) -> dict:
    return {key: value for key, value in notebook.items() if key != "cells"}


def _points(name: str, skeleton: Notebook) -> dict[str, float]:
    metas = filter(None, map(nbgrader_metadata, skeleton["cells"]))
    return {
        f"{name}/{meta['grade_id']}": float(meta["points"])
        for meta in metas
        if meta["grade"] or meta.get("task")
    }


def _document(
    document: dict, skeleton: Notebook, rubrics: Mapping[str, str], is_graded: bool
) -> None:
    """The recorded notebook: the skeleton's cells in their order, extra cells without metadata.
    What is live in them is made inert.
    """
    cells = document.get("cells")
    is_list = isinstance(cells, list) and len(cells) <= 2 * MAX_CELLS + len(skeleton["cells"])
    _need(is_list, "a document has no cells, or too many")
    for cell in cells:
        _cell(cell)
    answers = [cell for cell in cells if not rubric.is_rubric(cell)]
    beside = rubric.beside_answers({"cells": answers}, rubrics)["cells"]
    _need(beside == cells, "a marker's cell is not the assignment's")
    given = iter(skeleton["cells"])
    for cell in answers:
        is_extra = is_graded and str(cell.get("id")).startswith(EXTRA) and cell["metadata"] == {}
        if is_extra:
            _pictures(cell, {})
        if is_extra or not _is_given(cell, next(given, None), is_graded):
            cell["source"] = sanitize.source(cell)
    _need(next(given, None) is None, "a cell of the assignment is missing")
    try:
        nbformat.validate(document)
    except nbformat.ValidationError:
        raise Rejected("a document is no valid notebook") from None


def _cell(cell: object) -> None:
    """The form of a cell, whose outputs are made inert."""
    is_whole = (
        isinstance(cell, dict)
        and isinstance(cell.get("source"), str)
        and isinstance(cell.get("metadata"), dict)
    )
    _need(is_whole and cell.get("cell_type") in ("code", "markdown", "raw"), "a cell is malformed")
    meta = cell["metadata"].get("nbgrader", {})
    is_named = isinstance(meta, dict) and (not meta or isinstance(meta.get("grade_id"), str))
    _need(is_named, "a cell's metadata are malformed")
    if cell["cell_type"] == "code":
        are_outputs = isinstance(cell.get("outputs"), list)
        are_outputs = are_outputs and _is_count(cell.get("execution_count"))
        _need(are_outputs, "a cell's outputs are malformed")
        cell["outputs"] = sanitize.safe_outputs(cell["outputs"])


def _is_given(cell: dict, skeleton: dict | None, is_graded: bool) -> bool:
    """Whether the source is the skeleton's. Only an answer's may be another; nothing but outputs
    may differ beside it. Raises Rejected.
    """
    free = {"outputs", "execution_count", "source"}
    if is_graded and skeleton is not None and _is_answer(nbgrader_metadata(skeleton)):
        _pictures(cell, skeleton.get("attachments", {}))
        free.add("attachments")
    same = skeleton is not None and all(
        cell.get(key) == skeleton.get(key) for key in (cell.keys() | skeleton.keys()) - free
    )
    _need(same, "a cell is not the assignment's")
    is_given = cell["source"] == skeleton["source"]
    _need(
        is_given or (is_graded and _is_answer(nbgrader_metadata(skeleton))),
        "a given cell was changed",
    )
    return is_given


def _pictures(cell: Mapping, given: Mapping) -> None:
    """Beside the attachments that were given, a cell may have pictures that were drawn anew. Raises
    Rejected.
    """
    own = cell.get("attachments", {})
    _need(isinstance(own, dict), "a cell's attachments are malformed")
    added = {name: bundle for name, bundle in own.items() if given.get(name) != bundle}
    _need(sanitize.are_pictures(added), "a cell's attachments are no pictures")


def _is_answer(meta: dict | None) -> bool:
    return bool(meta and (meta["solution"] or meta.get("task")))


def _marks(name: str, document: dict, cells: Mapping[str, CellResult]) -> None:
    """nbgrader reads a mark from the outputs of its cell: they must say the score that the result
    says.
    """
    for cell in document["cells"]:
        meta = nbgrader_metadata(cell)
        if cell["cell_type"] == "code" and meta and meta["grade"] and not meta["solution"]:
            results = [one for one in cell["outputs"] if one["output_type"] == "execute_result"]
            score = cells[f"{name}/{meta['grade_id']}"].score
            _need(score is not None, "a recorded mark has no score")
            _need(
                [one["data"] for one in results] == [{"text/plain": repr(float(score))}],
                "a recorded mark is not the cell's score",
            )


def _is_count(value: object) -> bool:
    return value is None or type(value) is int


def _keys(value: object, kind: type, what: str) -> None:
    _need(
        isinstance(value, dict) and value.keys() == {one.name for one in fields(kind)},
        f"{what} has other fields than it should",
    )


def _each(value: object, what: str) -> dict[str, dict]:
    _need(
        isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()),
        f"its {what} are malformed",
    )
    return value


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_text(value: object, none: bool = False) -> bool:
    return (none and value is None) or (isinstance(value, str) and len(value) <= MAX_TEXT)


def _need(holds: bool, reason: str) -> None:
    if not holds:
        raise Rejected(reason)

"""A result that a worker sent: read under caps, and held against the submission that it is of.

The worker's machine is the instructor's, so its result is taken for what it says. It has to say it
in the form that the journal has, of the student who was sent, with a score for each cell of the
assignment that lies within the cell's points.
"""

from __future__ import annotations

import math
from dataclasses import replace

from nbjudge import wire
from nbjudge.grading.marks.results import GRADED, UNGRADED, CellResult, SubmissionResult
from nbjudge.grading.published import skeletons
from nbjudge.grading.submission.task import Task

MAX_RESULT = 32 << 20
MAX_ITEMS = 2_000_000
MAX_DEPTH = 64


class Rejected(ValueError):
    """The bytes are no result of this submission. The text says why."""

    def __str__(self) -> str:
        return f"the worker's result was refused: {self.args[0]}"


def accept(data: bytes, task: Task) -> SubmissionResult:
    """The result that the bytes hold. Raises Rejected."""
    submission = task.submission
    try:
        result = SubmissionResult.from_journal(_parsed(data))
        is_whole = result.notebooks.keys() == task.skeleton.keys() and not result.waiting
        recorded = {name for name, one in result.notebooks.items() if one.status != UNGRADED}
        is_recorded = result.documents.keys() == recorded
        are_scores = all(map(_is_within, result.cells.values()))
    except Rejected:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Rejected(str(error)) from None
    if result.student != submission.student:
        raise Rejected("it is another student's")
    if not is_whole:
        raise Rejected("its notebooks are not the assignment's")
    if not is_recorded:
        raise Rejected("the notebooks to record are not those that it graded")
    if result.max_score != sum(map(skeletons.max_score, task.skeleton.values())):
        raise Rejected("its maximum is not the assignment's")
    if not are_scores:
        raise Rejected("a cell's score is not between 0 and its points")
    return replace(result, timestamp=submission.timestamp, secret=submission.secret)


def _parsed(data: bytes) -> dict:
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) > MAX_ITEMS:
        raise Rejected(f"it holds more than {MAX_ITEMS} values")
    value = wire.safe_json(data, MAX_DEPTH, MAX_RESULT)
    if not isinstance(value, dict):
        raise Rejected("it is no JSON object")
    return value


def _is_within(cell: CellResult) -> bool:
    if cell.status != GRADED or cell.score is None:
        return cell.status != GRADED and cell.score is None
    return math.isfinite(cell.max_score) and 0 <= cell.score <= cell.max_score

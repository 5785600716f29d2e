"""The table of faults: complete, unambiguous, and what grading really does."""

import itertools
from types import SimpleNamespace

import pytest

from autograder import boxes, exercises, wire
from autograder.grading import faults, runner, sandboxes
from autograder.grading.faults import POSSIBLE, TABLE, Fault, Moment, Place, Ruling, Way
from autograder.grading.runner import run_notebook

CASE = exercises.get("inspect").public_cases()[0]
COMBINATIONS = [
    (place, way, moment)
    for place, (ways, moments) in POSSIBLE.items()
    for way, moment in itertools.product(sorted(ways), sorted(moments))
]


def code(cell_id: str, source: str, grade_id: str | None = None) -> dict:
    metadata = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
    return {"cell_type": "code", "id": cell_id, "metadata": metadata, "source": source}


NOTEBOOK = {
    "cells": [
        code("a", "1"),
        code("b", "2"),
        code("check", "check()", exercises.get("inspect").grade_id),
    ]
}
# What a box has told when it ends at a moment.
CELLS = [
    wire.Frame({"kind": kind, "index": index, "status": "ok", "outputs": []})
    for index in (0, 1)
    for kind in ("started", "cell")
]
STARTED = wire.Frame({"kind": "started", "index": 2})
CALLING = wire.Frame({"kind": "calling", "exercise": "inspect", "case": CASE.name})
ANSWER = wire.Frame(
    {"kind": "answer", "exercise": "inspect", "case": CASE.name, "outcome": "missing", "error": {}}
)
OVER = wire.Frame({"kind": "cell", "index": 2, "status": "ok", "outputs": []})
TOLD = {
    Moment.READY: [],
    Moment.CELL: CELLS[:3],
    Moment.BETWEEN_CELLS: CELLS,
    Moment.CASE: [*CELLS, STARTED, CALLING],
    Moment.ANSWERING: [*CELLS, STARTED, CALLING],
    Moment.BETWEEN_CASES: [*CELLS, STARTED],
    Moment.ENDING: [*CELLS, STARTED, CALLING, ANSWER, OVER],
}


@pytest.mark.parametrize(("place", "way", "moment"), COMBINATIONS)
def test_every_end_has_exactly_one_row(place, way, moment):
    rows = [
        row for row in TABLE if row.place == place and way in row.ways and moment in row.moments
    ]
    assert len(rows) == 1 and rows[0].why


def test_every_row_is_about_something_that_can_happen():
    for row in TABLE:
        ways, moments = POSSIBLE[row.place]
        assert row.ways and row.ways <= ways and row.moments and row.moments <= moments


@pytest.mark.parametrize(
    ("place", "way", "moment", "ruling"),
    [
        (Place.RUNNER, Way.CRASHED, Moment.READY, Ruling.OURS),
        (Place.RUNNER, Way.QUIET, Moment.READY, Ruling.OURS),
        (Place.RUNNER, Way.DEADLINE, Moment.BEFORE_READY, Ruling.OURS),
        (Place.RUNNER, Way.KILLED, Moment.CELL, Ruling.OURS),
        (Place.RUNNER, Way.MEMORY, Moment.CELL, Ruling.THEIRS),
        (Place.RUNNER, Way.KERNEL_KILLED, Moment.CASE, Ruling.REPEAT),
        (Place.CHECKER, Way.FAULT, Moment.LOOKING, Ruling.OURS),
        (Place.CHECKER, Way.MEMORY, Moment.LOOKING, Ruling.CONTROL),
        (Place.PARSER, Way.CRASHED, Moment.LOOKING, Ruling.CONTROL),
        (Place.COORDINATOR, Way.EXCEPTION, Moment.JOURNALING, Ruling.OURS),
    ],
)
def test_the_rows_that_trust_hangs_on(place, way, moment, ruling):
    assert faults.rule(place, way, moment).ruling is ruling


@pytest.mark.parametrize("works", [True, False], ids=["control works", "control fails"])
@pytest.mark.parametrize(
    ("way", "moment"),
    [
        (way, moment)
        for place, way, moment in COMBINATIONS
        if place is Place.RUNNER and moment in TOLD
    ],
)
def test_a_run_follows_the_table(way, moment, works, monkeypatch):
    """Every end of a runner box, played to the code that decides: what becomes of the notebook is
    what the row says.
    """
    boxes_run = []

    def ended(module, frames, limits, on_frame, reply, store):
        boxes_run.append(list(frames))
        for frame in TOLD[moment]:
            on_frame(frame)
        if way is Way.FAULT:
            raise boxes.BoxFault("the program failed")
        if way in (Way.KERNEL_KILLED, Way.KERNEL_MISSING):
            on_frame(wire.Frame({"kind": "killed" if way is Way.KERNEL_KILLED else "no_kernel"}))
        name = (
            "finished" if way in (Way.KERNEL_KILLED, Way.KERNEL_MISSING, Way.QUIET) else way.value
        )
        return boxes.BoxRun([], name, "", 1.0, cut=moment is Moment.ANSWERING)

    played = SimpleNamespace(**{name: getattr(boxes, name) for name in boxes.__all__})
    played.run, played.control = ended, lambda: "" if works else "no kernel comes up"
    monkeypatch.setattr(runner, "boxes", played)
    monkeypatch.setattr(sandboxes, "boxes", played)
    ruling = faults.rule(Place.RUNNER, way, moment).ruling
    if ruling is Ruling.OURS or (ruling is Ruling.REPEAT and not works):
        with pytest.raises(Fault, match="the same command again"):
            run_notebook(NOTEBOOK, {"inspect": [CASE]})
        assert len(boxes_run) == (1 if ruling is Ruling.OURS else 2)
        return
    run = run_notebook(NOTEBOOK, {"inspect": [CASE]})
    assert len(boxes_run) > (ruling is Ruling.REPEAT)
    if moment is not Moment.ENDING:
        assert {answer.outcome for answer in run.answers["inspect"].values()} <= {
            "missing",
            "killed",
            "timeout",
        }


@pytest.mark.parametrize(("detail", "remedy"), [
    ("OSError: [Errno 28] No space left on device: '/x'", "free space"),
    ("(sqlite3.OperationalError) database or disk is full", "free space"),
    ("OSError: [Errno 24] Too many open files", "ulimit -n"),
    ("RuntimeError: can't start new thread", "ulimit -u"),
    ("BlockingIOError: [Errno 11] Resource temporarily unavailable", "ulimit -u"),
    ("PermissionError: [Errno 13] Permission denied: '/dev/null'", "chmod 666 /dev/null"),
    ("python3: error while loading shared libraries: libz.so.1", "make install"),
    ("Traceback (most recent call last):\n  File\nModuleNotFoundError: No module named 'zmq'", "make install"),
    ("anything else", "course doctor"),
])  # fmt: skip
def test_a_reason_is_one_line_that_ends_with_what_to_type(detail, remedy):
    text = faults.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.GRADING, detail)
    assert (
        remedy in text and text.endswith("then type the same command again") and text.isprintable()
    )

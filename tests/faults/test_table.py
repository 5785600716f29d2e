"""The table of faults: complete, unambiguous, and what grading really does."""

import itertools
from types import SimpleNamespace

import pytest

from nbjudge import boxes, exercises, wire
from nbjudge.contract import Answer, Case
from nbjudge.grading.execution import checker, observer, runner, sandboxes
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.grading.faults import policy, remedies
from nbjudge.grading.faults.faults import Fault
from nbjudge.grading.faults.policy import POSSIBLE, TABLE, Moment, Place, Ruling, Way
from nbjudge.grading.marks import pictures

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
        (Place.DRAWER, Way.CRASHED, Moment.BEFORE_READY, Ruling.OURS),
        (Place.COORDINATOR, Way.EXCEPTION, Moment.JOURNALING, Ruling.OURS),
    ],
)
def test_the_rows_that_trust_hangs_on(place, way, moment, ruling):
    assert policy.rule(place, way, moment).ruling is ruling


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
        return boxes.BoxRun(
            frames=[], ended=name, detail="", seconds=1.0, cut=moment is Moment.ANSWERING
        )

    played = SimpleNamespace(**{name: getattr(boxes, name) for name in boxes.__all__})
    played.run, played.control = ended, lambda: "" if works else "no kernel comes up"
    monkeypatch.setattr(runner, "boxes", played)
    monkeypatch.setattr(sandboxes, "boxes", played)
    ruling = policy.rule(Place.RUNNER, way, moment).ruling
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


def of(place: Place) -> list[tuple[Way, Moment]]:
    return [(way, moment) for where, way, moment in COMBINATIONS if where is place]


class Played:
    """Boxes that all end in one way at one moment, and the box without a student's bytes, which
    works or does not. A box that did not fail tells `told`.
    """

    def __init__(self, way: Way, moment: Moment, works: bool, told: wire.Frame):
        self.way, self.moment, self.works, self.told, self.count = way, moment, works, told, 0

    def start(self, frames, limits, on_frame=lambda frame: None, **_) -> boxes.BoxRun:
        self.count += 1
        if self.moment is Moment.BEFORE_READY:
            raise {Way.KILLED: boxes.BoxKilled, Way.FAULT: boxes.BoxFault}.get(
                self.way, boxes.BoxFailure
            )("it did not start")
        if self.moment is Moment.TOLD:
            on_frame(self.told)
        if self.way is Way.FAULT:
            raise boxes.BoxFault("the program failed")
        return boxes.BoxRun(frames=[], ended=self.way.value, detail="", seconds=1.0)

    def control(self, module, frames, limits, on_frame=lambda frame: None, **_) -> boxes.BoxRun:
        if not self.works:
            raise boxes.BoxFailure("it did not start")
        on_frame(self.told)
        return boxes.BoxRun(frames=[self.told], ended="finished", detail="", seconds=1.0)

    def instead(self, **others) -> SimpleNamespace:
        """`nbjudge.boxes` as it is, but for what runs."""
        names = {name: getattr(boxes, name) for name in boxes.__all__}
        return SimpleNamespace(**{**names, "run": self.control, **others})

    def ends(self, place: Place, work) -> bool:
        """Whether `work` ends as the row says; what it gives is the student's own loss."""
        ruling = policy.rule(place, self.way, self.moment).ruling
        if ruling is Ruling.OURS or not self.works:
            with pytest.raises(Fault, match="the same command again"):
                work()
        else:
            work()
        return self.count == (2 if ruling is Ruling.REPEAT else 1)


@pytest.mark.parametrize(("way", "moment"), of(Place.DRAWER))
def test_drawing_follows_the_table(way, moment, monkeypatch):
    """A box that does not start is a fault of ours; what another one did not draw is not shown."""
    played = Played(way, moment, True, wire.Frame({"kind": "drawn"}))
    held = pictures.Pictures(held={"a" * 32: b"picture"})
    assert played.ends(
        Place.DRAWER, lambda: held.draw(["a" * 32], played.start, lambda seconds: None)
    )


@pytest.mark.parametrize("works", [True, False], ids=["control works", "control fails"])
@pytest.mark.parametrize(("way", "moment"), of(Place.CHECKER))
def test_checking_follows_the_table(way, moment, works, monkeypatch):
    if (way, moment) == (Way.QUIET, Moment.TOLD):
        return  # that is how a checker ends that did its work
    played = Played(way, moment, works, wire.Frame({"kind": "verdict", "verdict": {}}))
    monkeypatch.setattr(sandboxes, "boxes", played.instead())

    def check() -> None:
        verdict = checker.judge("inspect", [CASE], {}, {}, start=played.start)
        assert verdict.score == 0 and verdict.broken

    assert played.ends(Place.CHECKER, check)


@pytest.mark.parametrize("works", [True, False], ids=["control works", "control fails"])
@pytest.mark.parametrize("way", sorted(POSSIBLE[Place.CHECKER][0] - {Way.QUIET}))
def test_observing_follows_the_table(way, works, monkeypatch):
    """The box in which a compiled module runs costs the case that it was at."""
    played = Played(way, Moment.LOOKING, works, wire.Frame({"kind": "observing", "case": "one"}))

    def start(frames, limits, imports=(), **told):
        frames = list(frames())
        is_control = not any(b'"case"' in bytes(frame) for frame in frames)
        return (played.control if is_control else played.start)(
            *((observer.CHECKER,) if is_control else ()), frames, limits, **told
        )

    monkeypatch.setattr(observer, "once", lambda module: start)

    def observe() -> None:
        case = Case("one")
        seen = observer.observed("torchscript", [case], {"one": Answer("returned")})
        assert seen["one"].outcome == ("timeout" if way is Way.DEADLINE else "killed")

    assert played.ends(Place.CHECKER, observe)


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
    text = remedies.reason(Place.COORDINATOR, Way.EXCEPTION, Moment.GRADING, detail)
    assert (
        remedy in text and text.endswith("then type the same command again") and text.isprintable()
    )


@pytest.mark.parametrize("way", [Way.FAULT, Way.CRASHED])
def test_only_what_our_programs_say_puts_a_fault_on_the_exercise(way):
    said = "nbjudge.boxes.inside.checker failed: ExerciseBroken: exercises/x/judge/marks.py, line 3: KeyError: 'n'"
    fault = Fault(Place.CHECKER, way, Moment.LOOKING, said)
    assert bool(fault.of_the_exercise) == (way is Way.FAULT)
    mend = (
        "the exercise's own code failed: exercises/x/judge/marks.py, line 3: KeyError: 'n'. Mend it"
    )
    assert str(fault).startswith(mend) == (way is Way.FAULT)

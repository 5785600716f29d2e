"""Whose fault is it when something ends: one table of places, ways and moments, and what follows
from each.

A mark may only depend on what a student handed in. What follows is therefore one of four rulings:

ours      the submission is `ungraded`: no mark, nothing in the journal, exit status 3, a reason
          that ends with what to type
theirs    the cell, case, answer or notebook at which it happened earns nothing, and the rest goes on
repeat    both are possible: the same work once more in a fresh box; if it ends there too, the
          ruling is `control`
control   both are possible: a box without a student's bytes, which must work now, tells them apart.
          It works: theirs. It does not: ours

Nothing that student code can do inside a box ends the box's process 1 by a signal, the template that
its jobs are forked from, or bubblewrap, which stands outside: whoever does that is on the host. A
kernel that was killed may have killed itself, and a machine without memory kills whom it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    RUNNER = "the box that runs the notebook"
    CHECKER = "the box that checks the answers"
    DRAWER = "the box that draws pictures anew"
    COORDINATOR = "the grading run itself"


class Way(StrEnum):
    """How it ended. The first seven are `BoxRun.ended`."""

    CRASHED = "crashed"
    MEMORY = "memory"
    DEADLINE = "deadline"
    OUTPUT = "output"
    PROTOCOL = "protocol"
    KILLED = "killed"
    STARVED = "starved"
    QUIET = "finished"  # ended well, but did not say that it was done
    FAULT = "fault"  # its own machinery failed, and it said so
    KERNEL_KILLED = "kernel killed"
    KERNEL_MISSING = "no new kernel"  # one that was to replace a lost one did not come up
    # in our own code: a full disk, no process or descriptor left, a case's server, a bug
    EXCEPTION = "exception"
    WORKER_LOST = "worker lost"


class Moment(StrEnum):
    BEFORE_READY = "before it was ready"
    READY = "ready, before the first cell"
    CELL = "in a cell"
    BETWEEN_CELLS = "between cells"
    CASE = "in a case"
    ANSWERING = "while an answer was on its way"
    BETWEEN_CASES = "between cases"
    ENDING = "after the last cell"
    LOOKING = "while it looked at the student's bytes"
    TOLD = "after its result"
    TAKING = "taking the submission"
    GRADING = "grading"
    JOURNALING = "writing the journal"
    RECORDING = "writing the gradebook"


class Ruling(StrEnum):
    OURS = "ours"
    THEIRS = "theirs"
    REPEAT = "repeat"
    CONTROL = "control"


@dataclass(frozen=True)
class Row:
    """One line of the table; `why` is the reason for the ruling."""

    place: Place
    ways: frozenset[Way]
    moments: frozenset[Moment]
    ruling: Ruling
    why: str


RUNNER, CHECKER, DRAWER, COORDINATOR = Place
OURS, THEIRS, REPEAT, CONTROL = Ruling

_KERNEL = frozenset({Way.KERNEL_KILLED, Way.KERNEL_MISSING})
_OWN = frozenset({Way.EXCEPTION, Way.WORKER_LOST})
_BOX = frozenset(Way) - _KERNEL - _OWN
_OUTSIDE = frozenset({Way.KILLED, Way.FAULT})
_STARVED = frozenset({Way.STARVED})
_LIMITS = frozenset({Way.MEMORY, Way.DEADLINE, Way.OUTPUT})
_UNCLEAR = _BOX - _OUTSIDE - _STARVED

_START = frozenset({Moment.BEFORE_READY})
_EARLY = _START | {Moment.READY}
_CELLS = {Moment.CELL, Moment.BETWEEN_CELLS, Moment.ENDING}
_CASES = {Moment.CASE, Moment.ANSWERING, Moment.BETWEEN_CASES}
_RUNNING = frozenset(_CELLS | _CASES)
_LOOKING = frozenset({Moment.LOOKING, Moment.TOLD})
_STEPS = frozenset(Moment) - _EARLY - _RUNNING - _LOOKING

# What can happen where: the table has exactly one row for each of these.
POSSIBLE: dict[Place, tuple[frozenset[Way], frozenset[Moment]]] = {
    RUNNER: (_BOX | _KERNEL, _EARLY | _RUNNING),
    CHECKER: (_BOX, _START | _LOOKING),
    # What it did not draw is not shown, however it ended (`pictures`).
    DRAWER: (_BOX, _START),
    COORDINATOR: (_OWN, _STEPS),
}

_UNSEEN = "nothing of the student's had been looked at"
_SHORT = "the machine ran out of memory, perhaps through this box"
_PROCESS_1 = "no code in a box can kill its process 1, or bubblewrap"
_OWN_LIMITS = "only what runs in the box uses up its memory, time and output"
_UNSURE = "student code may have filled a folder or flooded a line, or the supervisor has a bug"
_KERNELS = "a kernel may kill itself, and leave nothing for the next; so may the host"
_NO_ANSWER = "an exception of our own checks, or a kill from outside, is no answer's doing"

TABLE = (
    Row(RUNNER, _BOX | _KERNEL, _EARLY, OURS, "no student code had run"),
    Row(RUNNER, _OUTSIDE, _RUNNING, OURS, _PROCESS_1),
    Row(RUNNER, _STARVED, _RUNNING, REPEAT, _SHORT),
    Row(RUNNER, _LIMITS, _RUNNING, THEIRS, _OWN_LIMITS),
    Row(RUNNER, _UNCLEAR - _LIMITS, _RUNNING, REPEAT, _UNSURE),
    Row(RUNNER, _KERNEL, _RUNNING, REPEAT, _KERNELS),
    Row(CHECKER, _BOX, _START, OURS, _UNSEEN),
    Row(CHECKER, _OUTSIDE, _LOOKING, OURS, _NO_ANSWER),
    Row(CHECKER, _STARVED, _LOOKING, REPEAT, _SHORT),
    Row(CHECKER, _UNCLEAR, _LOOKING, CONTROL, "an answer can be too much to load or to run"),
    Row(DRAWER, _BOX, _START, OURS, _UNSEEN),
    Row(COORDINATOR, _OWN, _STEPS, OURS, "no student code runs here"),
)


def rule(place: Place, way: Way, moment: Moment) -> Row:
    """The table's row for what happened."""
    return next(
        row for row in TABLE if row.place == place and way in row.ways and moment in row.moments
    )

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

Nothing that student code can do inside a box ends the box's process 1 by a signal, or bubblewrap,
which stands outside: whoever does that is on the host. A kernel that was killed may have killed
itself, and a machine without memory kills whom it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from autograder import boxes


class Place(StrEnum):
    PARSER = "the box that reads the notebook"
    RUNNER = "the box that runs the notebook"
    CHECKER = "the box that checks the answers"
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
    CHANGED = "when the environment had changed"
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


_BOX = frozenset(
    {
        Way.CRASHED,
        Way.MEMORY,
        Way.DEADLINE,
        Way.OUTPUT,
        Way.PROTOCOL,
        Way.KILLED,
        Way.STARVED,
        Way.QUIET,
        Way.FAULT,
    }
)
_OUTSIDE = frozenset({Way.KILLED, Way.FAULT})
_STARVED = frozenset({Way.STARVED})
_KERNEL = frozenset({Way.KERNEL_KILLED, Way.KERNEL_MISSING})
_LIMITS = frozenset({Way.MEMORY, Way.DEADLINE, Way.OUTPUT})
_OWN = frozenset({Way.EXCEPTION, Way.WORKER_LOST})
_START = frozenset({Moment.BEFORE_READY})
_EARLY = frozenset({Moment.BEFORE_READY, Moment.READY})
_RUNNING = frozenset(
    {
        Moment.CELL,
        Moment.BETWEEN_CELLS,
        Moment.CASE,
        Moment.ANSWERING,
        Moment.BETWEEN_CASES,
        Moment.ENDING,
    }
)
# What the box that reads a notebook told counts, however it ends afterwards.
_READING = frozenset({Moment.LOOKING})
_LOOKING = frozenset({Moment.LOOKING, Moment.TOLD})
_STEPS = frozenset(
    {Moment.TAKING, Moment.GRADING, Moment.CHANGED, Moment.JOURNALING, Moment.RECORDING}
)

# What can happen where: the table has exactly one row for each of these.
POSSIBLE: dict[Place, tuple[frozenset[Way], frozenset[Moment]]] = {
    Place.PARSER: (_BOX, _START | _READING),
    Place.RUNNER: (_BOX | _KERNEL, _EARLY | _RUNNING),
    Place.CHECKER: (_BOX, _START | _LOOKING),
    Place.COORDINATOR: (_OWN, _STEPS),
}

TABLE = (
    Row(Place.PARSER, _BOX, _START, Ruling.OURS, "nothing of the student's had been looked at"),
    Row(
        Place.PARSER,
        _OUTSIDE,
        _READING,
        Ruling.OURS,
        "no notebook can kill the box that reads it from outside",
    ),
    Row(
        Place.PARSER,
        _STARVED,
        _READING,
        Ruling.REPEAT,
        "the machine ran out of memory, perhaps through this box",
    ),
    Row(
        Place.PARSER,
        _BOX - _OUTSIDE - _STARVED,
        _READING,
        Ruling.CONTROL,
        "a notebook can be too much to read",
    ),
    Row(Place.RUNNER, _BOX | _KERNEL, _EARLY, Ruling.OURS, "no student code had run"),
    Row(
        Place.RUNNER,
        _OUTSIDE,
        _RUNNING,
        Ruling.OURS,
        "no code in a box can kill its process 1, or bubblewrap",
    ),
    Row(
        Place.RUNNER,
        _STARVED,
        _RUNNING,
        Ruling.REPEAT,
        "the machine ran out of memory, perhaps through this box",
    ),
    Row(
        Place.RUNNER,
        _LIMITS,
        _RUNNING,
        Ruling.THEIRS,
        "only what runs in the box uses up its memory, time and output",
    ),
    Row(
        Place.RUNNER,
        _BOX - _OUTSIDE - _STARVED - _LIMITS,
        _RUNNING,
        Ruling.REPEAT,
        "student code may have filled a folder or flooded a line, or the supervisor has a bug",
    ),
    Row(
        Place.RUNNER,
        _KERNEL,
        _RUNNING,
        Ruling.REPEAT,
        "a kernel may kill itself, and leave nothing for the next; so may the host",
    ),
    Row(Place.CHECKER, _BOX, _START, Ruling.OURS, "nothing of the student's had been looked at"),
    Row(
        Place.CHECKER,
        _OUTSIDE,
        _LOOKING,
        Ruling.OURS,
        "an exception of our own checks, or a kill from outside, is no answer's doing",
    ),
    Row(
        Place.CHECKER,
        _STARVED,
        _LOOKING,
        Ruling.REPEAT,
        "the machine ran out of memory, perhaps through this box",
    ),
    Row(
        Place.CHECKER,
        _BOX - _OUTSIDE - _STARVED,
        _LOOKING,
        Ruling.CONTROL,
        "an answer can be too much to load or to run",
    ),
    Row(Place.COORDINATOR, _OWN, _STEPS, Ruling.OURS, "no student code runs here"),
)


def rule(place: Place, way: Way, moment: Moment) -> Row:
    """The table's row for what happened."""
    return next(
        row for row in TABLE if row.place == place and way in row.ways and moment in row.moments
    )


def settle(
    place: Place,
    way: Way,
    moment: Moment,
    detail: str,
    is_repeated: bool,
    control: Callable[[], str],
) -> Ruling:
    """What follows: `theirs` or `repeat`. `control` says what is wrong with a box that has no
    student's bytes in it, or nothing.

    Raises Fault when it is ours.
    """
    ruling = rule(place, way, moment).ruling
    if ruling is Ruling.OURS:
        raise Fault(place, way, moment, detail)
    if ruling is Ruling.THEIRS or (ruling is Ruling.REPEAT and not is_repeated):
        return ruling
    if problem := control():
        raise Fault(
            place,
            way,
            moment,
            f"a box that holds nothing of a student's does not work either: {_one_line(problem)}",
        )
    return Ruling.THEIRS


def before_start(place: Place, moment: Moment, error: boxes.SandboxUnavailable) -> Fault:
    """The fault of a box that did not start, or that said before it looked at anything that it
    cannot work.
    """
    if isinstance(error, boxes.BoxFault):
        return Fault(place, Way.FAULT, moment, str(error))
    return Fault(
        place,
        Way.KILLED if isinstance(error, boxes.BoxKilled) else Way.CRASHED,
        Moment.BEFORE_READY,
        str(error),
    )


class Fault(RuntimeError):
    """Something of ours failed: the submission is `ungraded`. The text says what happened, and what
    to type.
    """

    def __init__(self, place: Place, way: Way, moment: Moment, detail: str):
        self.place, self.way, self.moment, self.detail = place, way, moment, detail
        super().__init__(reason(place, way, moment, detail))


_SAID = {
    Way.CRASHED: "ended with an error",
    Way.MEMORY: "needed more memory than it may have",
    Way.DEADLINE: "took longer than it may",
    Way.OUTPUT: "wrote more than it may",
    Way.PROTOCOL: "broke off",
    Way.KILLED: "was killed from outside",
    Way.STARVED: "was killed when the machine had no memory left",
    Way.QUIET: "ended too early",
    Way.FAULT: "failed",
    Way.KERNEL_KILLED: "had its kernel killed",
    Way.KERNEL_MISSING: "could not start its kernel again",
    Way.EXCEPTION: "failed",
    Way.WORKER_LOST: "lost a worker",
}
_CHANGED = "The Python environment changed during grading: type `make install`"
# What a message means, and what to type; the first that fits. What follows it is the same for all.
REMEDIES: tuple[tuple[str, str], ...] = (
    (
        r"No space left|disk is full|ENOSPC|quota exceeded",
        "A disk is full: free space where the course folder and /tmp lie (`df -h`)",
    ),
    (
        r"Too many open files|EMFILE|ENFILE",
        "No file descriptor is left: type `ulimit -n 4096`, or grade with fewer --jobs",
    ),
    (
        r"start new thread|Resource temporarily unavailable|BlockingIOError|EAGAIN|Cannot fork|fork: retry",
        "No process can be started: end other programs, raise the limit (`ulimit -u`), or grade with fewer --jobs",
    ),
    (r"/dev/null", "/dev/null cannot be used: type `sudo chmod 666 /dev/null`"),
    (
        r"shared librar|shared object|No module named|ImportError|cannot import name|did not start in its box",
        "A package or a library is missing: type `make install`, then `course doctor`",
    ),
    (
        r"Cannot allocate memory|MemoryError|no memory left|more memory than",
        "Memory is short: end other programs, or grade with fewer --jobs",
    ),
    (
        r"killed from outside",
        "Something on this machine ended a process of the grading: see `dmesg | tail`, and what watches memory or time",
    ),
    (
        r"Read-only file system|Permission denied",
        "A file cannot be written: see that the course folder is yours (`ls -la`)",
    ),
    (
        r"readonly database|database is locked",
        "The gradebook cannot be written: see that it is yours, and close what else uses it",
    ),
)
_DOCTOR = "Type `course doctor`, and do what it says"


def reason(place: Place, way: Way, moment: Moment, detail: str) -> str:
    """Why a submission is `ungraded`, on one line, ending with what to type."""
    told = _one_line(detail)
    if moment is Moment.CHANGED:
        return f"{told}. {_CHANGED}, then the same command again"
    said = f"{place} {_SAID[way]}, {moment}"
    remedy = next(
        (text for pattern, text in REMEDIES if re.search(pattern, f"{said} {detail}")), _DOCTOR
    )
    return (
        f"{said}: {told}. {remedy}, then type the same command again"
        if told
        else f"{said}. {remedy}, then type the same command again"
    )


def _one_line(detail: str) -> str:
    """The line that says most: of a traceback the last, of a message the first. Without what a
    terminal would obey.
    """
    lines = [line.strip() for line in detail.splitlines() if line.strip()] or [""]
    line = lines[-1] if "Traceback (most recent call last)" in detail else lines[0]
    return "".join(char for char in line if char.isprintable())[:300].rstrip(". ")

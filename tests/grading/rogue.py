"""Loaded by workers of the tests before they start: a worker that breaks, for some students or for
everybody, as a machine of the instructor's might.
"""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

from nbjudge.grading.cluster import parcel, worker

TRACES = Path(os.environ["ROGUE_TRACES"])


def _die(grade: Callable[[], bytes]) -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_once(grade: Callable[[], bytes]) -> bytes:
    once = TRACES / "killed"
    if once.exists():
        return grade()
    once.touch()
    return _die(grade)


def _raise(grade: Callable[[], bytes]) -> bytes:
    raise MemoryError("no memory left")


def _somebody(grade: Callable[[], bytes]) -> bytes:
    return json.dumps({**json.loads(grade()), "student": "right"}).encode()


DEEDS = {
    "doomed": _die,
    "killed": _die_once,
    "raises": _raise,
    "garbage": lambda grade: b"garbage",
    "somebody": _somebody,
}


def grade(shared: bytes, submission: bytes) -> bytes:
    deed = os.environ.get("ROGUE_DEED", parcel.unpack(submission).student)
    return DEEDS.get(deed, lambda grade: grade())(lambda: worker.honest(shared, submission))


if not hasattr(worker, "honest"):  # Dask loads this file twice
    worker.honest, worker.grade = worker.grade, grade

"""Loaded by the workers of test_cluster before they start: a worker that does, for some students,
what no worker should.
"""

import io
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

from nbjudge import wire
from nbjudge.grading.cluster import parcel, worker

TRACES = Path(os.environ["ROGUE_TRACES"])


class Trap:
    """Says where it was unpickled."""

    def __reduce__(self):
        code = f"open({str(TRACES)!r} + f'/{{__import__(\"os\").getpid()}}', 'w').close()"
        return exec, (code,)


class TrapError(Exception):
    def __reduce__(self):
        return Trap().__reduce__()


class TrapWarning(UserWarning):
    def __reduce__(self):
        return Trap().__reduce__()


def _result(frame: bytes) -> dict:
    (whole,) = wire.read(io.BytesIO(frame), len(frame))
    return json.loads(whole.blobs["result.json"])


def _changed(result: dict, **changes) -> bytes:
    return wire.encode("result", {"result.json": json.dumps({**result, **changes}).encode()})


def _somebody(grade: Callable[[], bytes]) -> bytes:
    return _changed(_result(grade()), student="right")


def _points(grade: Callable[[], bytes]) -> bytes:
    result = _result(grade())
    return _changed(
        result, cells={key: {**cell, "score": 1000.0} for key, cell in result["cells"].items()}
    )


def _raise(grade: Callable[[], bytes]) -> bytes:
    raise TrapError


def _warn(grade: Callable[[], bytes]) -> bytes:
    from distributed import get_worker, print, warn

    warn(TrapWarning("look"))
    print(Trap())
    get_worker().log_event("warn", {"message": b"garbage", "category": b"garbage"})
    return grade()


def _die_once(grade: Callable[[], bytes]) -> bytes:
    once = TRACES / "killed"
    if not once.exists():
        once.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return grade()


DEEDS = {
    "object": lambda grade: Trap(),
    "list": lambda grade: [b"", Trap()],
    "raises": _raise,
    "huge": lambda grade: bytes(200 << 20),
    "large": lambda grade: wire.encode("result", {"result.json": b" " * (40 << 20)}),
    "garbage": lambda grade: b"garbage",
    "deep": lambda grade: wire.encode("result", {"result.json": b"[" * 100_000}),
    "somebody": _somebody,
    "points": _points,
    "wrong": _warn,
    "killed": _die_once,
}


def grade(name: str, submission: bytes):
    deed = DEEDS.get(parcel.unpack(submission).student, lambda grade: grade())
    return deed(lambda: worker.honest(name, submission))


if not hasattr(worker, "honest"):  # Dask loads this file twice
    worker.honest, worker.grade = worker.grade, grade

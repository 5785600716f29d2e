"""What runs on a worker: it takes the bytes of a submission, and returns the bytes of its result.

1. `deploy/dask/worker.sh` runs this module before it starts a worker. It tries the sandbox, and
   prints the name of what the worker offers: grading with this version of the package. Dask gives a
   submission only to workers that offer the version of whoever grades.
2. A worker that was started otherwise, or whose package was replaced since, refuses in `grade`.
3. What all submissions of a run share arrives once. A worker goes on to another run when no
   submission of the one before is at work, because the exercises of a course are the whole
   process's.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from nbjudge import boxes
from nbjudge.grading.cluster import own, parcel
from nbjudge.grading.faults import environment
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.store import fingerprints
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task

OFFER = "nbjudge-"


class Unfit(RuntimeError):
    """This worker cannot grade. The text says why."""


@cache
def offered() -> str:
    """What a worker with this version of the package offers: a name with a hash of the installed
    packages' files, fixtures too.
    """
    return OFFER + fingerprints.of_installed()[:12]


def shared(task: Task) -> bytes:
    """What all submissions of the task's run share, as bytes for `grade`."""
    return parcel.pack((offered(), own.collect(), replace(task, submission=Submission(""))))


def grade(shared: bytes, submission: bytes) -> bytes:
    """Grade one submission of the run that `shared` describes: its result as JSON, in the journal's
    form.

    Raises Unfit, SandboxUnavailable, or wire.WireError where the bytes are not what `shared` and
    `parcel.pack` make.
    """
    with _turn.of(shared) as task:
        boxes.require_sandbox()
        task = replace(task, submission=parcel.unpack(submission))
        result = engine.grade(task)
        if result.waiting:  # its second turn comes at once: the queue is not here
            result = engine.grade(replace(task, before=result, turn=2))
        return json.dumps(result.to_journal(), allow_nan=False).encode()


class _Turn:
    """Which run this process is at."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shared: bytes | None = None
        self._task: Task | None = None
        self._at_work = 0

    @contextmanager
    def of(self, shared: bytes) -> Iterator[Task]:
        """The part of the run's tasks that they share; no other run begins meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: shared == self._shared or not self._at_work)
            if self._task is None or shared != self._shared:
                self._task = _begun(shared)
                self._shared = shared
            task = self._task
            self._at_work += 1
        try:
            yield task
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()


_turn = _Turn()


def _begun(shared: bytes) -> Task:
    wanted, files, task = parcel.unpack(shared)
    if wanted != offered():
        raise Unfit("it has another version of nbjudge installed than the machine that asks it")
    own.install(files)
    environment.forget()  # what was installed between two runs is no change
    return task


if __name__ == "__main__":
    try:
        boxes.require_sandbox()
    except boxes.SandboxUnavailable as error:
        raise SystemExit(f"no worker is started: {error}") from None
    print(offered())

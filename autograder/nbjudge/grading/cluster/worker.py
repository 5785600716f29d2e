"""What runs on a worker: it joins once, by proving its sandbox, and then grades submissions. Bytes
in, bytes out, and never an exception.

An exception would come back pickled, and nothing is unpickled from a worker.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from nbjudge import wire

# The part of a run that all its submissions share, by the hash that names it. A worker serves one
# run at a time.
_shared: dict[str, object] = {}


def join(shared: bytes) -> bytes:
    """Prove that this worker can grade, and keep what the run's submissions share, with the
    course's own exercises.

    A frame `joined` or `unfit`, with its reason.
    """
    try:
        from nbjudge import boxes
        from nbjudge.grading import environment
        from nbjudge.grading.cluster import own, parcel
        from nbjudge.grading.fingerprints import of_all_checks

        boxes.require_sandbox()
        files, task = parcel.unpack(shared)
        own.install(files)
        run = hashlib.sha256(shared).hexdigest()
        if run not in _shared:  # what was installed between two runs is no change
            environment.forget()
        _shared.clear()
        _shared[run] = task
        return wire.encode("joined", checks=of_all_checks())
    except Exception as error:
        return _told("unfit", error)


def grade(name: str, submission: bytes) -> bytes:
    """Grade one submission of the run that `name` says: a frame `result`, `stranger` (join first)
    or `fault`, with its reason.
    """
    try:
        from nbjudge import boxes
        from nbjudge.grading import engine
        from nbjudge.grading.cluster import parcel

        if (task := _shared.get(name)) is None:
            return wire.encode("stranger")
        boxes.require_sandbox()
        task = replace(task, submission=parcel.unpack(submission))
        result = engine.grade(task)
        if result.waiting:  # its second turn comes at once: the queue is not here
            result = engine.grade(replace(task, before=result, turn=2))
        return wire.encode(
            "result", {"result.json": json.dumps(result.to_journal(), allow_nan=False).encode()}
        )
    except Exception as error:
        return _told("fault", error)


def _told(kind: str, error: Exception) -> bytes:
    return wire.encode(kind, reason=f"{type(error).__name__}: {error}"[:500])

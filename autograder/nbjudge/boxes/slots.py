"""A user id of its own for every box that real root starts.

Processes are counted per user id (RLIMIT_NPROC), and processes of one user id may signal each
other, so no two boxes of a machine may share one. An id is taken by an exclusive lock on a file of
its own in a folder that only root can enter: locks hold between threads, between processes, and end
with the process that held them, however it ended.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from nbjudge.boxes.errors import SandboxUnavailable

FIRST = 61000
LAST = 61999
_FOLDER = "/run/nbjudge-slots"


@contextmanager
def slot() -> Iterator[int]:
    """A user id that no other box of this machine has for as long as the context lasts. Raises
    SandboxUnavailable.
    """
    os.makedirs(_FOLDER, mode=0o700, exist_ok=True)
    for uid in range(FIRST, LAST + 1):
        lock = os.open(
            f"{_FOLDER}/{uid}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield uid
        finally:
            os.close(lock)
        return
    raise SandboxUnavailable(
        f"all {LAST + 1 - FIRST} user ids for boxes are taken; wait until other grading runs on this machine end"
    )

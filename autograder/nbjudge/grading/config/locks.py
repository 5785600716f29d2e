"""One command of a kind at work in a course at a time."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

from nbjudge.grading.config.errors import Refused
from nbjudge.grading.config.folders import Course

_PATIENCE_SECONDS = 2.0
_LOOK_SECONDS = 0.05


def alone(course: Course) -> AbstractContextManager[None]:
    """Two runs would write the gradebook at once. Raises Refused while another one is at work."""
    return held(
        course.private() / "lock",
        Refused(f"another `course grade` is at work in {course.root}: wait for it, or stop it"),
    )


@contextmanager
def held(path: Path, refusal: Exception) -> Iterator[None]:
    """Hold the lock of this file. Raises `refusal` while another process holds it.

    Of a process that was killed, what it was just about to start may hold the lock for a moment
    longer.
    """
    patience = time.monotonic() + _PATIENCE_SECONDS
    with open(path, "w") as file:
        while not _is_locked(file):
            if time.monotonic() > patience:
                raise refusal
            time.sleep(_LOOK_SECONDS)
        yield


def _is_locked(file: IO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

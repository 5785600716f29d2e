"""One command of a kind at work in a course at a time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from autograder.grading.folders import Course
from autograder.grading.request import Refused


def alone(course: Course) -> AbstractContextManager[None]:
    """Two runs would write the gradebook at once. Raises Refused while another one is at work."""
    return held(
        course.private() / "lock",
        Refused(f"another `course grade` is at work in {course.root}: wait for it, or stop it"),
    )


@contextmanager
def held(path: Path, refusal: Exception) -> Iterator[None]:
    """Hold the lock of this file. Raises `refusal` while another process holds it."""
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refusal from None
        yield

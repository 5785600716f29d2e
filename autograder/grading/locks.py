"""One grading run a course at a time."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.grading.folders import Course
from autograder.grading.order import Refused


@contextmanager
def alone(course: Course) -> Iterator[None]:
    """Two runs would write the gradebook at once. Raises Refused while another one is at work."""
    with open(course.private() / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                f"another `course grade` is at work in {course.root}: wait for it, or stop it"
            ) from None
        yield

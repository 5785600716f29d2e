"""Boxes that end together, when what they were started for is given up."""

from __future__ import annotations

import threading
from typing import Protocol

from nbjudge.boxes.errors import SandboxUnavailable

_own = threading.local()


class _Box(Protocol):
    def kill(self) -> None: ...


class Group:
    """Knows the boxes that are running for the threads that joined it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._boxes: set[_Box] = set()
        self._is_over = False

    def join(self) -> None:
        """Boxes that this thread starts from now on belong to the group."""
        _own.group = self

    def add(self, box: _Box) -> None:
        """Raises SandboxUnavailable when the group has ended."""
        with self._lock:
            if self._is_over:
                raise SandboxUnavailable("grading was stopped")
            self._boxes.add(box)

    def discard(self, box: _Box) -> None:
        with self._lock:
            self._boxes.discard(box)

    def end(self) -> None:
        """Kill every box of the group. No other is started in it."""
        with self._lock:
            self._is_over = True
            boxes = list(self._boxes)
        for box in boxes:
            box.kill()


def of_this_thread() -> Group:
    """The group that this thread joined; one that nobody ends, if it joined none."""
    return getattr(_own, "group", None) or Group()

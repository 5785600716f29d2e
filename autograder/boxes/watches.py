"""How many files the processes of a box watch through epoll.

Linux counts them for a user, in all the boxes of an ordinary one together, and gives a few hundred
thousand at least: one box that took them all would keep every other from starting a kernel.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from autograder.boxes.system import resident, told

_POLL = "anon_inode:[eventpoll]"
_WATCH = b"\ntfd:"
_PIECE = 1 << 16


def watched(processes: Iterable[str], first: int, most: int) -> int:
    """How many, by the folders in which the system tells of the processes, of which `first` is the
    pid of process 1; it stops to count above `most`. Student code that lets nobody see what it has
    open watches more.
    """
    count, ours = 0, _filters(f"/proc/{first}")
    for process in processes:
        try:
            for path in _polls(process):
                count += _count(path, most - count)
        except PermissionError:
            # Of our own processes in the box, too, and of one that is ending.
            if _filters(process) > ours and resident(process):
                return most + 1
        if count > most:
            return count
    return count


def _filters(process: str) -> int:
    """How many filters on system calls it has: student code one more than what is ours."""
    return told(f"{process}/status", b"Seccomp_filters:")


def _polls(process: str) -> Iterator[str]:
    """What the system tells of each epoll that a process has open. Raises PermissionError."""
    for descriptor in _open(process):
        with contextlib.suppress(OSError):
            if os.readlink(f"{process}/fd/{descriptor}") == _POLL:
                yield f"{process}/fdinfo/{descriptor}"


def _open(process: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return os.listdir(f"{process}/fd")
    return []


def _count(path: str, most: int) -> int:
    """The watches of one epoll, or a number above `most`."""
    count, end = 0, b""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(path, "rb", 0) as file:
        while count <= most and (piece := file.read(_PIECE)):
            # What stands across two pieces is counted with the second.
            text = end + piece
            count += text.count(_WATCH)
            end = text[1 - len(_WATCH) :]
    return count

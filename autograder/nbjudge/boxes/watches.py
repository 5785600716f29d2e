"""What the processes of a box have open of which others would have too little: files that epoll
watches, and terminals.

Linux gives a user a few hundred thousand of the former, for all boxes of an ordinary one together,
and a machine three thousand of the latter. Without them no kernel starts, and no `!command` runs.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from nbjudge.boxes.system import resident, told

_POLL = "anon_inode:[eventpoll]"
_TERMINAL = "/ptmx"
_SOCKET = "socket:"
_WATCH = b"\ntfd:"
_PIECE = 1 << 16
# How many watches a terminal counts for, and a descriptor on its way through a socket, where nobody
# sees what it is. A kernel gets less than ten in that way.
_OF_TERMINAL = 128
_OF_ONE_ON_ITS_WAY = 512


def watched(processes: Iterable[str], first: int, most: int) -> int:
    """How many watches, by the folders in which the system tells of the processes, of which `first`
    is the pid of process 1; it stops to count above `most`. Student code that lets nobody see what
    it has open has more.
    """
    count = 0
    ours = _filters(f"/proc/{first}")
    for process in processes:
        try:
            for descriptor in _open(process):
                count += _watches(process, descriptor, most - count)
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


def _watches(process: str, descriptor: str, most: int) -> int:
    with contextlib.suppress(OSError):
        name = os.readlink(f"{process}/fd/{descriptor}")
        if name.endswith(_TERMINAL):
            return _OF_TERMINAL
        if name == _POLL:
            return _count(f"{process}/fdinfo/{descriptor}", most)
        if name.startswith(_SOCKET):
            return _OF_ONE_ON_ITS_WAY * told(f"{process}/fdinfo/{descriptor}", b"scm_fds:")
    return 0


def _open(process: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return os.listdir(f"{process}/fd")
    return []


def _count(path: str, most: int) -> int:
    """The watches of one epoll, or a number above `most`."""
    count = 0
    end = b""
    with open(path, "rb", 0) as file:
        while count <= most and (piece := file.read(_PIECE)):
            # What stands across two pieces is counted with the second.
            text = end + piece
            count += text.count(_WATCH)
            end = text[1 - len(_WATCH) :]
    return count

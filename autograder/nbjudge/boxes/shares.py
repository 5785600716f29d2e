"""What of the processor a box takes while other boxes want it: no more than its share.

Linux shares the processor among sessions where nobody has said otherwise, and among threads where
somebody has, as in a container. A box with many of either would leave next to nothing for the
others, whose time then runs out.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from nbjudge.boxes.system import numbers

# How many sessions a box may have, and how many of them cost it nothing: process 1, its template and
# a kernel have one each, and `!command` has one.
SESSIONS = 8
_USUAL_SESSIONS = 4
# A box in which more threads compute than honest code has any use for computes behind the others.
_CROWD = 16 + 4 * (os.cpu_count() or 1)
_LAST = 19  # where the system lets a thread wait longest for the others


def sessions(pids: Iterable[int]) -> int:
    """How many sessions the processes have beyond the usual ones."""
    found = {session for pid in pids for session in numbers(pid, 3)}
    return max(0, len(found) - _USUAL_SESSIONS)


def keep_fair(pids: list[int]) -> None:
    """Let the threads of a crowded box wait for everybody else's; what they start does so, too."""
    if sum(threads for pid in pids for threads in numbers(pid, 17)) <= _CROWD:
        return
    running = [thread for pid in pids for thread in _running(pid)]
    if len(running) > _CROWD:
        for thread in running:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, thread, _LAST)


def _running(pid: int) -> Iterator[int]:
    """The threads of a process that compute, or wait for their turn to."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
                if file.read().rsplit(b")", 1)[1].split()[0] == b"R":
                    yield int(thread)

"""A clock for deadlines that stands still while a process waits for a processor: what other
programs take of the machine costs nobody's answer its time.
"""

from __future__ import annotations

import contextlib
import os
import time

# How old the last look may be: one costs some microseconds for each thread.
_LOOK_SECONDS = 0.25


class OwnTime:
    """Seconds, from some moment on, in which no thread of a process waited for a processor.

    Linux tells in `/proc/PID/task/TID/schedstat` how long a thread could have run and had no
    processor. Of several threads, the one counts that has waited longest since the last look. Where
    the system does not tell, time passes as on any clock.
    """

    def __init__(self, pid: int | None = None):
        self._waited = 0.0
        self.follow(pid)

    def follow(self, pid: int | None) -> None:
        """From now on, this process counts."""
        self._pid = pid
        self._looked = time.monotonic()
        self._seen = _waits(pid) if pid else {}

    def now(self) -> float:
        """The time, in seconds."""
        now = time.monotonic()
        if self._pid and now > self._looked + _LOOK_SECONDS:
            waits = _waits(self._pid)
            longest = max((waits[each] - self._seen.get(each, 0.0) for each in waits), default=0.0)
            self._waited += min(max(longest, 0.0), now - self._looked)
            self._seen = waits
            self._looked = now
        return now - self._waited


def _waits(pid: int) -> dict[str, float]:
    """How many seconds each thread of a process has waited for a processor."""
    found = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file,
            ):
                found[thread] = int(file.read().split()[1]) / 1e9
    return found

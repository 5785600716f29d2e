"""Watches a running box from outside: its deadline and the memory of everything in it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from nbjudge.boxes import mounts, shares
from nbjudge.boxes.limits import Limits, is_used_up
from nbjudge.boxes.system import (
    cpu_seconds,
    cpu_seconds_of_ended,
    members,
    numbers,
    resident,
    told,
    told_at,
)
from nbjudge.boxes.watches import watched

# A process fills memory at some gigabytes a second: the less a box may still take, the sooner it is
# looked at again.
_POLL_SECONDS = 0.05
_LONGEST_SECONDS = 0.25
_FILLED_A_SECOND = 8 << 30
# Between two jobs nothing runs in a box that could take memory.
_REST_SECONDS = 1.0
_INODE_BYTES = 1024  # what an empty file in memory costs the system, about
# What a process may ask a socket to hold (the system doubles it), where the system does not tell.
_SOCKET_BYTES = 212992
# A kernel and its supervisor have 24, nearly empty ones. A machine that is set up for fast networks
# lets each hold so much that they would count as gigabytes, at no fault of the notebook.
_USUAL_SOCKETS = 64
# What a file that is watched through epoll counts: the system keeps few bytes for it, and has some
# hundred thousand for all boxes of an ordinary user. A kernel and its supervisor watch some dozens,
# and `!command` has one terminal, which counts more.
_WATCH_BYTES = 1 << 16
# What the system keeps of a part of a process's address space, its name included, and how many parts
# a process may have.
_PART_BYTES = 512
_PARTS = 65530


class Watchdog(threading.Thread):
    """Calls `kill` once when the box breaks a limit; `reason` is then `deadline` or `memory`, and
    `detail` says more.

    The box's processes are those in the pid namespace of its process 1, however they were started.
    """

    def __init__(
        self,
        limits: Limits,
        kill: Callable[[], None],
        has_ended: Callable[[], bool] = lambda: False,
    ):
        super().__init__(daemon=True)
        self._limits = limits
        self._kill = kill
        self._has_ended = has_ended
        self._deadline = time.monotonic() + limits.wall_seconds
        self._over = threading.Event()
        self._working = threading.Event()
        self._working.set()
        # Which job it is: what was seen of one counts against no other.
        self._job = 0
        self._turning = threading.Lock()
        self._first: int | None = None
        self.reason: str | None = None
        self.detail = ""
        # Of process 1: its processor time, when it was last looked at, and the most threads it had.
        self.cpu = 0.0
        self.threads = 1
        self._looked = time.monotonic()
        self._processor = 0.0

    def processor(self) -> float:
        """Seconds of processor time of process 1 and of the processes that it has seen end: as it is
        now, or as it was last seen.
        """
        if self._first is not None:
            self._processor = max(
                self._processor, cpu_seconds(self._first) + cpu_seconds_of_ended(self._first)
            )
        return self._processor

    @property
    def used_up_cpu(self) -> bool:
        """Whether process 1, which has just ended, can have used all the processor time that it
        may: in each of its threads since it was last looked at.
        """
        since = time.monotonic() - self._looked
        at_once = min(self.threads, os.cpu_count() or 1)
        return is_used_up(self.cpu + since * at_once, self._limits.cpu_seconds)

    def __enter__(self) -> Watchdog:
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._working.set()
        self.join()

    def begin(self, seconds: float) -> None:
        """A job begins: it may take so long."""
        with self._turning:
            self._job += 1
            self._deadline = time.monotonic() + seconds
        self._working.set()

    def rest(self) -> bool:
        """The job is over, and the box waits. False when it broke a limit before that."""
        with self._turning:
            self._job += 1
            self._deadline = float("inf")
            self._working.clear()
            return self.reason is None

    def watch(self, first: int | None) -> None:
        """Begin to count memory; `first` is the host's pid of the box's process 1, which must have
        its own root folder by now.
        """
        self._first = first

    def run(self) -> None:
        allowed = self._limits.memory_bytes + self._limits.scratch_bytes
        left = 0
        while not self._over.wait(_pause(left) if self._working.wait(_REST_SECONDS) else 0):
            if self._has_ended():
                self._kill()  # bwrap is gone, and what it started goes with it
                return
            job = self._job
            left = allowed - self._used(allowed)
            if time.monotonic() > self._deadline:
                reason = "deadline"
                detail = f"still running after {self._limits.wall_seconds:g} s"
            elif left < 0:
                used = (allowed - left) >> 20
                reason = "memory"
                detail = f"{used} MiB in use, of {allowed >> 20} MiB allowed"
            else:
                continue
            if self._end(job, reason, detail):
                return

    def _used(self, allowed: int) -> int:
        """The memory of the box; the processor time of its process 1 is looked at on the way."""
        if self._first is None:
            return 0
        now = time.monotonic()
        cpu = cpu_seconds(self._first)
        threads = _threads(self._first)
        self.processor()
        if cpu:
            self.cpu = cpu
            self.threads = max(threads, self.threads)
            self._looked = now
        pids = members(self._first)
        shares.keep_fair(pids)
        return _memory(self._first, pids, allowed)

    def _end(self, job: int, reason: str, detail: str) -> bool:
        """Kill the box for what was seen of a job. False when that one is over: it ended in time."""
        with self._turning:
            if job != self._job:
                return False
            self.reason = reason
            self.detail = detail
        self._kill()
        return True


def _pause(left: int) -> float:
    """Seconds until a box that may take `left` bytes more is looked at again."""
    return min(_LONGEST_SECONDS, max(_POLL_SECONDS, left / _FILLED_A_SECOND))


def _memory(first: int, pids: list[int], allowed: int) -> int:
    """Bytes held by the box's processes: an overestimate while that is within `allowed`, else with pages that
    processes share counted once.

    In-memory files that a process maps count twice, a socket as what it can hold, and a file that
    epoll watches, a terminal, or a session, as its share of what there are; the allowance leaves room
    for that.
    """
    processes = [told_at(pid) for pid in pids]
    held = _files(first) + _sockets(first) + sum(map(_tables, processes))
    held += _WATCH_BYTES * watched(processes, first, allowed // _WATCH_BYTES)
    held += allowed // shares.SESSIONS * shares.sessions(pids)
    most = _PART_BYTES * (told("/proc/sys/vm/max_map_count") or _PARTS) * len(processes)
    pages = sum(map(resident, processes))
    if held + pages + most <= allowed:
        return held + pages + most
    held += _PART_BYTES * sum(map(_parts, processes))
    return held + pages if held + pages <= allowed else held + sum(map(_proportional, processes))


def _threads(pid: int) -> int:
    """How many threads a process has; 0 when it is gone."""
    return sum(numbers(pid, 17))


def _proportional(process: str) -> int:
    """A process's share of memory: a page that n processes map counts 1/n. Its resident size where
    the system does not tell.
    """
    try:
        with open(f"{process}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except (OSError, StopIteration, ValueError):
        return resident(process)


def _parts(process: str) -> int:
    """How many parts a process's address space has."""
    try:
        with open(f"{process}/maps", "rb", 1 << 16) as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def _tables(process: str) -> int:
    """What the system needs to find a process's pages: gigabytes, where one page in two megabytes of
    an empty terabyte is read. No page of these is the process's own.
    """
    return 1024 * told(f"{process}/status", b"VmPTE:")


def _sockets(first: int) -> int:
    """What the box's sockets can hold of bytes that nobody has read, beyond the usual ones."""
    most = told("/proc/sys/net/core/wmem_max") or _SOCKET_BYTES
    count = told(f"/proc/{first}/net/sockstat", b"sockets: used")
    return 2 * most * max(0, count - _USUAL_SOCKETS)


def _files(first: int) -> int:
    """Bytes that files in the box's in-memory folders take, an inode's own memory included."""
    used = 0
    for path in mounts.WRITABLE:
        try:
            status = os.statvfs(f"/proc/{first}/root{path}")
        except OSError:
            continue
        used += (status.f_blocks - status.f_bfree) * status.f_frsize + (
            status.f_files - status.f_ffree
        ) * _INODE_BYTES
    return used

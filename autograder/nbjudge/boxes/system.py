"""What Linux tells of processes and of itself, in `/proc`: nothing is known of what is gone."""

from __future__ import annotations

import contextlib
import os

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def members(first: int) -> list[int]:
    try:
        namespace = os.readlink(f"/proc/{first}/ns/pid")
    except OSError:
        return []
    return [
        int(name)
        for name in os.listdir("/proc")
        if name.isdigit() and _namespace(name) == namespace
    ]


def _namespace(pid: str) -> str | None:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return None


def told_at(pid: int) -> str:
    """The folder in which the system tells of a process's memory. When its first thread has ended,
    its own says that there is none, and those of its other threads say how much.
    """
    own = f"/proc/{pid}"
    if not resident(own):
        with contextlib.suppress(OSError):
            threads = (f"{own}/task/{thread}" for thread in os.listdir(f"{own}/task"))
            return next(filter(resident, threads), own)
    return own


def resident(process: str) -> int:
    try:
        with open(f"{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def numbers(pid: int, *places: int) -> list[int]:
    """What the system tells of a process behind its name and state; nothing when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
        return [int(fields[place]) for place in places]
    except (OSError, IndexError):
        return []


def cpu_seconds(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    return sum(numbers(pid, 11, 12)) / _TICKS


def cpu_seconds_of_ended(pid: int) -> float:
    """The same of its children that have ended, and of theirs."""
    return sum(numbers(pid, 13, 14)) / _TICKS


def told(path: str, label: bytes = b"") -> int:
    """The number behind a label in a file of the system's; 0 where there is none."""
    try:
        with open(path, "rb") as file:
            return int(
                next(line for line in file if line.startswith(label))[len(label) :].split()[0]
            )
    except (OSError, StopIteration, IndexError, ValueError):
        return 0

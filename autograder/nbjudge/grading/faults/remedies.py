"""Why a submission is `ungraded`, in words, and what to type about it."""

from __future__ import annotations

import re

from nbjudge.grading.faults.environment import Change
from nbjudge.grading.faults.policy import Moment, Place, Way

_SAID = {
    Way.CRASHED: "ended with an error",
    Way.MEMORY: "needed more memory than it may have",
    Way.DEADLINE: "took longer than it may",
    Way.OUTPUT: "wrote more than it may",
    Way.PROTOCOL: "broke off",
    Way.KILLED: "was killed from outside",
    Way.STARVED: "was killed when the machine had no memory left",
    Way.QUIET: "ended too early",
    Way.FAULT: "failed",
    Way.KERNEL_KILLED: "had its kernel killed",
    Way.KERNEL_MISSING: "could not start its kernel again",
    Way.EXCEPTION: "failed",
    Way.WORKER_LOST: "lost a worker",
}
# What a change of the environment calls for (`environment.Change`), by its kind.
CHANGES: dict[bool, str] = {
    True: "Another program or person changed the Python environment: when that is over, type `make install` in the course's folder",
    False: "The system's own packages were being changed, by an update perhaps: wait until that is over",
}
# What a message means, and what to type; the first that fits. What follows it is the same for all.
REMEDIES: tuple[tuple[str, str], ...] = (
    (
        r"No space left|disk is full|ENOSPC|quota exceeded",
        "A disk is full: free space where the course folder and /tmp lie (`df -h`)",
    ),
    (
        r"Too many open files|EMFILE|ENFILE",
        "No file descriptor is left: type `ulimit -n 4096`, or grade with fewer --jobs",
    ),
    (
        r"start new thread|Resource temporarily unavailable|BlockingIOError|EAGAIN|Cannot fork|fork: retry",
        "No process can be started: end other programs, raise the limit (`ulimit -u`), or grade with fewer --jobs",
    ),
    (r"/dev/null", "/dev/null cannot be used: type `sudo chmod 666 /dev/null`"),
    (
        r"shared librar|shared object|No module named|ImportError|cannot import name|did not start in its box",
        "A package or a library is missing: type `make install` in the course's folder, then `course doctor`",
    ),
    (
        r"Cannot allocate memory|MemoryError|no memory left|more memory than",
        "Memory is short: end other programs, or grade with fewer --jobs",
    ),
    (
        r"killed from outside",
        "Something on this machine ended a process of the grading: see `dmesg | tail`, and what watches memory or time",
    ),
    (
        r"Read-only file system|Permission denied",
        "A file cannot be written: see that the course folder is yours (`ls -la`)",
    ),
    (
        r"readonly database|database is locked",
        "The gradebook cannot be written: see that it is yours, and close what else uses it",
    ),
    (
        r"KilledWorker|NoValidWorkerError|NoWorkerError|ClusterLost|Unfit|Rejected",
        "See what the scheduler and the workers of the cluster said last, and start anew those that are gone or have another version",
    ),
)
AGAIN = "then type the same command again"
_DOCTOR = "Type `course doctor`, and do what it says"


def reason(place: Place, way: Way, moment: Moment, detail: str) -> str:
    """Why a submission is `ungraded`, on one line, ending with what to type."""
    told = one_line(detail)
    said = f"{place} {_SAID[way]}, {moment}"
    otherwise = _DOCTOR
    if broken := of_the_exercise(way, detail):
        said = "the exercise's own code failed"
        told = broken
        otherwise = "Mend it"
    remedy = next(
        (text for pattern, text in REMEDIES if re.search(pattern, f"{said} {detail}")), otherwise
    )
    said = f"{said}: {told}" if told else said
    return f"{said}. {remedy}, {AGAIN}"


def of_a_change(change: Change) -> str:
    """Why a submission is `ungraded` whose boxes may have loaded something else than the others'."""
    return f"{one_line(str(change))}. {CHANGES[change.is_package]}, {AGAIN}"


def of_the_exercise(way: Way, detail: str) -> str:
    """What is wrong with the code of the exercise (`ExerciseBroken`), as our programs say it: what
    else is told of a box may quote a student.
    """
    is_ours = way in (Way.FAULT, Way.EXCEPTION)
    found = re.search(r"ExerciseBroken: (.+)", detail) if is_ours else None
    return one_line(found[1]) if found else ""


def one_line(detail: str) -> str:
    """Of a traceback the last line, of a message the first, without what a terminal would obey."""
    lines = [line.strip() for line in detail.splitlines() if line.strip()] or [""]
    line = lines[-1] if "Traceback (most recent call last)" in detail else lines[0]
    return "".join(char for char in line if char.isprintable())[:300].rstrip(". ")

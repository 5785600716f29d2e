"""Kills at random moments, of the coordinator and of whatever runs in its boxes: the same marks, one row each, no process left."""

import contextlib
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.grading.folders import Course

GONE_SECONDS = 2
# The self-test and the canary come before grading; what is killed here is grading itself.
GRADE = """
import sys
from autograder.boxes import selftest
from autograder.grading import canary, coordinator
from autograder.grading.budget import Budget
from autograder.grading.folders import Course
selftest.require_sandbox = lambda *hidden: None
canary.prove = lambda *anything: None
order = coordinator.Order("day-50", seed=50, jobs=2, budget=Budget(60, 60, 300))
try:
    report = coordinator.grade(Course.at(sys.argv[1]), order)
except coordinator.Refused:  # a box of the references was killed: nothing was started, as the command says with this status
    sys.exit(2)
sys.exit(report.exit_code)
"""


def start(course: Course) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-P", "-c", GRADE, str(course.root)], stderr=subprocess.DEVNULL)


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def handles(pids: list[int]) -> list[int]:
    opened = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            opened.append(os.pidfd_open(pid))
    return opened


def strike(course: Course, chance: random.Random, seconds: float) -> None:
    """Start grading, and kill one process of it at a random moment within `seconds`."""
    process = start(course)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0, seconds))
    inside = sorted(descendants(process.pid))
    left = handles(inside)
    if chance.random() < 0.5 or not inside:
        process.kill()
        process.wait()
        all_end(left)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(inside), signal.SIGKILL)
        assert process.wait() in (0, 2, 3)
        for handle in left:
            os.close(handle)


def all_end(processes: list[int]) -> None:
    """The boxes of a process that was killed are gone in time."""
    deadline = time.monotonic() + GONE_SECONDS
    for handle in processes:
        assert select.select([handle], [], [], max(0, deadline - time.monotonic()))[0], "a process of a box outlives who started it"
        os.close(handle)


def marks(course: Course) -> list[tuple[str, float]]:
    with contextlib.closing(Gradebook(f"sqlite:///{course.root / 'gradebook.db'}")) as book:
        return sorted((submission.student.id, submission.score) for submission in book.assignment_submissions("day-50"))


@pytest.mark.parametrize("kills", [5, pytest.param(45, marks=pytest.mark.slow)])
def test_nothing_is_lost_whatever_is_killed(course, tmp_path, kills):
    undisturbed = Course.at(shutil.copytree(course.root, tmp_path / "undisturbed"))
    began = time.monotonic()
    assert start(undisturbed).wait() == 0
    seconds = time.monotonic() - began
    chance = random.Random(kills)
    for number in range(0, kills, 5):
        own = Course.at(shutil.copytree(course.root, tmp_path / f"killed-{number}"))
        for _ in range(5):
            strike(own, chance, seconds)
        assert start(own).wait() == 0
        assert marks(own) == marks(undisturbed)
        assert [name for name, _ in marks(own)] == ["ada"]

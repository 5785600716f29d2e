"""Kills at random moments, of the coordinator and of whatever runs in its boxes: the same marks,
one row each, no process left.
"""

import contextlib
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from nbjudge.grading.cluster import Scheduler
from nbjudge.grading.config.folders import Course
from tests.grading import own_cluster

# On the worker that has made the course.
pytestmark = pytest.mark.xdist_group("faulty")
# What the slow tests hold; beside other tests, a machine may take longer to end a process.
GONE_SECONDS, BUSY_SECONDS = 2, 30
# The self-test and the canary come before grading; what is killed here is grading itself.
GRADE = """
import json, sys
from nbjudge.boxes import selftest
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import canary
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.cluster import Scheduler
from nbjudge.grading.config.folders import Course
selftest.require_sandbox = lambda *hidden: None
canary.prove = lambda *anything: None
cluster = Scheduler(**json.loads(sys.argv[2])) if sys.argv[2:] else None
request = coordinator.GradingRequest("day-50", seed=50, jobs=2, budget=Budget(60, 60, 300), scheduler=cluster)
try:
    report = coordinator.grade(Course.at(sys.argv[1]), request)
except coordinator.Refused:  # a box of the references was killed: nothing was started, as the command says with this status
    sys.exit(2)
sys.exit(report.exit_code)
"""


def start(course: Course, scheduler: Scheduler | None = None) -> subprocess.Popen:
    cluster = [json.dumps(asdict(scheduler))] if scheduler else []
    return subprocess.Popen(
        [sys.executable, "-P", "-c", GRADE, str(course.root), *cluster], stderr=subprocess.DEVNULL
    )


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


def strike(course: Course, chance: random.Random, seconds: float, gone: float) -> None:
    """Start grading, and kill one process of it at a random moment within `seconds`."""
    process = start(course)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0, seconds))
    inside = sorted(descendants(process.pid))
    left = handles(inside)
    if chance.random() < 0.5 or not inside:
        process.kill()
        process.wait()
        all_end(left, gone)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(inside), signal.SIGKILL)
        assert process.wait() in (0, 2, 3)
        for handle in left:
            os.close(handle)


def all_end(processes: list[int], seconds: float) -> None:
    """The boxes of a process that was killed are gone in time."""
    deadline = time.monotonic() + seconds
    for handle in processes:
        assert select.select([handle], [], [], max(0, deadline - time.monotonic()))[0], (
            "a process of a box outlives who started it"
        )
        os.close(handle)


def workers(cluster: int) -> list[int]:
    """The workers of a cluster, at least one: a nanny may be starting one."""
    found: list[int] = []
    deadline = time.monotonic() + BUSY_SECONDS
    while not found and time.monotonic() < deadline:
        for pid in descendants(cluster):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
    return found


def strike_worker(
    course: Course, scheduler: Scheduler, cluster: int, chance: random.Random, seconds: float
) -> None:
    """Start grading on a cluster, and kill one of its workers at a random moment; its nanny starts
    another one.
    """
    process = start(course, scheduler)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(chance.uniform(0, seconds))
    victim = chance.choice(workers(cluster))
    left = handles(descendants(victim))
    os.kill(victim, signal.SIGKILL)
    all_end(left, GONE_SECONDS)
    assert process.wait() in (0, 2, 3)


def marks(course: Course) -> list[tuple[str, float]]:
    with contextlib.closing(Gradebook(f"sqlite:///{course.root / 'gradebook.db'}")) as book:
        return sorted(
            (submission.student.id, submission.score)
            for submission in book.assignment_submissions("day-50")
        )


@pytest.fixture(scope="module")
def undisturbed(course, tmp_path_factory) -> tuple[list[tuple[str, float]], float]:
    """The marks that nobody disturbed, and how long they took."""
    own = Course.at(shutil.copytree(course.root, tmp_path_factory.mktemp("undisturbed") / "course"))
    began = time.monotonic()
    assert start(own).wait() == 0
    return marks(own), time.monotonic() - began


# Fifty kills in all: ten classes, five kills each.
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 10))]
)
def test_nothing_is_lost_whatever_is_killed(course, undisturbed, tmp_path, seed):
    expected, seconds = undisturbed
    own, chance = Course.at(shutil.copytree(course.root, tmp_path / "killed")), random.Random(seed)
    for _ in range(5):
        strike(own, chance, seconds, GONE_SECONDS if seed else BUSY_SECONDS)
    assert start(own).wait() == 0
    assert marks(own) == expected
    assert [name for name, _ in expected] == ["ada"]


@pytest.mark.slow
def test_nothing_is_lost_when_workers_of_a_cluster_are_killed(course, undisturbed, tmp_path):
    expected, _ = undisturbed
    chance = random.Random(10)
    (tmp_path / "cluster").mkdir()
    with own_cluster.running(tmp_path / "cluster") as (scheduler, cluster):
        began = time.monotonic()
        assert (
            start(Course.at(shutil.copytree(course.root, tmp_path / "first")), scheduler).wait()
            == 0
        )
        seconds = time.monotonic() - began
        for number in range(10):
            own = Course.at(shutil.copytree(course.root, tmp_path / f"killed-{number}"))
            strike_worker(own, scheduler, cluster, chance, seconds)
            assert start(own, scheduler).wait() == 0
            assert marks(own) == expected

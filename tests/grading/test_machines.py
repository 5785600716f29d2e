"""A cluster of machines, one of which is lost while it grades: the scheduler, two workers and who
grades, each in a network namespace of its own, wired to one bridge. And workers that stop, or that
are gone for good, and a scheduler that is.

Namespaces need root, and `ip` of iproute2.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from students import CLASS, hand_in

from nbjudge.course.publish import publish
from nbjudge.grading.config.folders import Course
from tests.grading import own_cluster
from tests.grading.own_cluster import DEPLOY

RIGHT = next(student for student in CLASS if student.inspect == "solution")
WRONG = next(student for student in CLASS if student.name == "eve-main-graph-only")
# Enough that both machines have work for as long as one needs to find out that the other is gone.
STUDENTS = {f"student-{number}": (RIGHT, WRONG)[number % 2] for number in range(8)}
SECONDS = 300

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("cluster"),
]


class Machine:
    """A network namespace with one address, and the programs that were started in it."""

    def __init__(self, name: str, number: int):
        self.name, self.address = f"{name}-{os.getpid()}", f"10.77.0.{number}"
        self._programs: list[subprocess.Popen] = []
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")

    def plug_into(self, other: "Machine", port: str) -> None:
        """A cable to a port of the bridge in another machine."""
        ends = ("link", "add", "eth0", "netns", self.name, "type", "veth")
        ip(*ends, "peer", "name", port, "netns", other.name)
        ip("-n", other.name, "link", "set", port, "master", "bridge", "up")
        ip("-n", self.name, "address", "add", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.name, "link", "set", "eth0", "up")

    def start(self, *command: object, log: Path) -> subprocess.Popen:
        with log.open("wb") as file:
            program = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *map(str, command)],
                stdout=file,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        self._programs.append(program)
        return program

    def pids(self) -> list[int]:
        return list(map(int, ip("netns", "pids", self.name).split()))

    def grades(self) -> bool:
        """Whether a box is open. Its processes are in a namespace of their own, bwrap is not."""
        return "bwrap" in map(_program, self.pids())

    def cut(self) -> None:
        """Pull the cable, and then the plug: nothing that ends here can say so."""
        ip("-n", self.name, "link", "set", "eth0", "down")
        self.end()

    def end(self) -> None:
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for program in self._programs:
            program.wait(SECONDS)

    def remove(self) -> None:
        self.end()
        ip("netns", "del", self.name)


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def _program(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def until(is_so, what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"not after {SECONDS} s: {what}"
        time.sleep(0.02)


@contextmanager
def machines(*names: str):
    """The first of them holds the bridge, and has an address on it."""
    made: list[Machine] = []
    try:
        for number, name in enumerate(names, 1):
            made.append(Machine(name, number))
        hub, *others = made
        ip("-n", hub.name, "link", "add", "bridge", "type", "bridge")
        ip("-n", hub.name, "address", "add", f"{hub.address}/24", "dev", "bridge")
        ip("-n", hub.name, "link", "set", "bridge", "up")
        for number, machine in enumerate(others):
            machine.plug_into(hub, f"port{number}")
        yield made
    finally:
        for machine in reversed(made):
            machine.remove()


def graded(command: list[object], told: Path) -> dict:
    """The submissions of a run's `--json` file, without the time that they took."""
    done = subprocess.run([*command, "--json", told], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return without_time(told)


def without_time(told: Path) -> dict:
    submissions = json.loads(told.read_text())["submissions"]
    return {each["student"]: {**each, "seconds": 0} for each in submissions}


def course_of(project, root: Path, students: dict) -> Course:
    course = Course.at(root)
    publish(course, project, ["day-50"], exchange=False)
    for name, student in students.items():
        folder = course.submitted / name / "day-50"
        hand_in(student, project.labs / "day-50", project.solutions / "day-50", folder)
    return course


def grading(course: Course) -> list[object]:
    command = [sys.executable, "-P", "-m", "nbjudge.cli", "grade", "day-50"]
    return [*command, "--course", course.root, "--seed", "50", "--jobs", "2", "--force"]


def on(scheduler: str, keys: Path) -> list[object]:
    """The options that have a cluster grade."""
    tls = ["--tls-ca", keys / "ca.pem", "--tls-cert", keys / "client.pem"]
    return ["--scheduler", scheduler, *tls, "--tls-key", keys / "client.key"]


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_machine_that_is_lost_while_it_grades_costs_no_mark(project, tmp_path):
    course = course_of(project, tmp_path / "course", STUDENTS)
    command = grading(course)
    expected = graded(command, tmp_path / "here.json")
    assert len({each["score"] for each in expected.values()}) == 2

    keys = tmp_path / "certificates"
    subprocess.run([DEPLOY / "certificates.sh", keys], check=True, capture_output=True)
    with machines("scheduler", "first", "second", "grader") as (hub, first, second, grader):
        hub.start(DEPLOY / "scheduler.sh", keys, hub.address, 8786, log=tmp_path / "hub")
        scheduler = f"tls://{hub.address}:8786"
        for machine, log in ((first, tmp_path / "first"), (second, tmp_path / "second")):
            machine.start(DEPLOY / "worker.sh", keys, scheduler, log=log)
            until(lambda log=log: "Registered to" in log.read_text(), f"{log.name} has joined")
        command += [*on(scheduler, keys), "--json", tmp_path / "there.json"]
        told = tmp_path / "told"
        run = grader.start(*command, log=told)
        until(lambda: "1: student" in told.read_text() or run.poll() is not None, "one is graded")
        until(lambda: first.grades() or run.poll() is not None, "the first machine is at work")
        assert run.poll() is None, told.read_text()
        first.cut()
        assert run.wait(SECONDS) == 0, told.read_text()
        assert second.pids()
    assert without_time(tmp_path / "there.json") == expected


@contextmanager
def at_work(course: Course, folder: Path, **environment: str):
    """A run on a cluster of its own that has graded somebody, and has a box open on a worker: the
    run, the processes of the cluster, and the run's report.
    """
    with own_cluster.running(folder, **environment) as (scheduler, cluster):
        report, told = folder / "report.json", folder / "told"
        command = [*grading(course), *on(scheduler.address, folder / "certificates")]
        with told.open("wb") as log:
            run = subprocess.Popen([*command, "--json", report], stdout=log, stderr=log)
        try:
            until(lambda: "1: student" in told.read_text() or run.poll() is not None, "one graded")
            until(lambda: busy(cluster) or run.poll() is not None, "a worker is at work")
            assert run.poll() is None, told.read_text()
            yield run, cluster, report
        finally:
            run.kill()
            run.wait()


def busy(cluster: int) -> list[int]:
    """The workers that have a box open."""
    return [pid for pid in workers(cluster) if "bwrap" in map(_program, descendants(pid))]


def workers(cluster: int) -> list[int]:
    return [pid for pid in descendants(cluster) if b"spawn_main" in words(pid)]


def words(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def descendants(pid: int) -> list[int]:
    with suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


@pytest.fixture
def small(project, tmp_path) -> Course:
    return course_of(project, tmp_path / "course", dict(list(STUDENTS.items())[:4]))


def test_a_worker_that_stops_costs_no_mark(small, tmp_path):
    """It answers nobody any more, but its connections stay."""
    expected = graded(grading(small), tmp_path / "here.json")
    with at_work(small, tmp_path, DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL="10s") as lost:
        run, cluster, report = lost
        stopped = busy(cluster)[0]
        os.kill(stopped, signal.SIGSTOP)
        try:
            assert run.wait(SECONDS) == 0
        finally:
            with suppress(ProcessLookupError):
                os.kill(stopped, signal.SIGCONT)
        assert without_time(report) == expected


def test_where_no_worker_is_left_what_was_not_graded_says_so(small, tmp_path):
    waiting = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "5s"}
    with at_work(small, tmp_path, **waiting) as (run, cluster, report):
        for pid in descendants(cluster):
            if b"scheduler" not in words(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        assert run.wait(SECONDS) == 3
        left = {name: one for name, one in without_time(report).items() if one["score"] is None}
        assert left and {one["status"] for one in left.values()} == {"ungraded"}
        assert all("lost a worker, grading: No" in one["reason"] for one in left.values()), left


def test_where_the_scheduler_is_lost_what_was_not_graded_says_so(small, tmp_path):
    expected = graded(grading(small), tmp_path / "here.json")
    with at_work(small, tmp_path) as (run, cluster, report):
        for pid in descendants(cluster):
            if b"scheduler\0--protocol" in words(pid):
                os.kill(pid, signal.SIGKILL)
        assert run.wait(SECONDS) == 3
        found = without_time(report)
        left = {name: one for name, one in found.items() if one["score"] is None}
        assert left and {one["status"] for one in left.values()} == {"ungraded"}
        assert all("type the same command again" in one["reason"] for one in left.values()), left
    again = graded([word for word in grading(small) if word != "--force"], tmp_path / "again.json")
    assert again == expected

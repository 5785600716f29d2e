"""A cluster of machines, one of which is lost while it grades: the scheduler, two workers and who
grades, each in a network namespace of its own, wired to one bridge. And one that stops before it
has handed over an answer.

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

import own_cluster
import pytest
from distributed import Client, wait
from distributed.security import Security
from own_cluster import DEPLOY
from students import CLASS, hand_in

from nbjudge.course.publish import publish
from nbjudge.grading.cluster import answers, bridge, worker
from nbjudge.grading.folders import Course

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
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for program in self._programs:
            program.wait(SECONDS)

    def remove(self) -> None:
        with suppress(subprocess.CalledProcessError):  # it was never plugged in
            self.cut()
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


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_a_machine_that_is_lost_while_it_grades_costs_no_mark(project, tmp_path):
    course = Course.at(tmp_path / "course")
    publish(course, project, ["day-50"], exchange=False)
    for name, student in STUDENTS.items():
        folder = course.submitted / name / "day-50"
        hand_in(student, project.labs / "day-50", project.solutions / "day-50", folder)
    command = [sys.executable, "-P", "-m", "nbjudge.cli", "grade", "day-50"]
    command += ["--course", course.root, "--seed", "50", "--jobs", "2", "--force"]
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
        command += ["--scheduler", scheduler, "--json", tmp_path / "there.json"]
        command += ["--tls-ca", keys / "ca.pem", "--tls-cert", keys / "client.pem"]
        command += ["--tls-key", keys / "client.key"]
        told = tmp_path / "told"
        run = grader.start(*command, log=told)
        until(lambda: "1: student" in told.read_text() or run.poll() is not None, "one is graded")
        until(lambda: first.grades() or run.poll() is not None, "the first machine is at work")
        assert run.poll() is None, told.read_text()
        first.cut()
        assert run.wait(SECONDS) == 0, told.read_text()
        assert second.pids()
    assert without_time(tmp_path / "there.json") == expected


def test_an_answer_that_a_machine_does_not_give_any_more_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "GATHER_SECONDS", 2)
    with own_cluster.running(tmp_path) as (scheduler, _):
        asking = Client(
            scheduler.address,
            security=Security(
                require_encryption=True,
                tls_ca_file=scheduler.ca,
                tls_client_cert=scheduler.cert,
                tls_client_key=scheduler.key,
            ),
        )
        with asking:
            future = asking.submit(worker.grade, "nobody's run", b"", pure=False)
            wait(future)
            talk = bridge.Bridge(asking, b"", "", lambda frame: None)
            assert talk._fetch(future)[0].kind == "stranger"
            stopped = list(asking.run(os.getpid).values())
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            try:
                assert talk._fetch(future) == (None, "")
            finally:
                for pid in stopped:
                    os.kill(pid, signal.SIGCONT)

"""Ctrl-C: grading ends although student code would go on, nothing of a box is left, and the next
call goes on.
"""

import contextlib
import json
import os
import resource
import select
import shutil
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from nbjudge import boxes
from nbjudge.grading.config.folders import Course, Project
from tests.faults.handing_in import hand_in
from tests.faults.test_kills import descendants

# On the worker that has made the course.
pytestmark = pytest.mark.xdist_group("faulty")
ENDLESS = "import time\ntime.sleep(1000)"
# It says when a student's notebook is at its first cell. Ctrl-C counts, also where a shell in the
# background had it ignored.
GRADE = """
import signal
from nbjudge.boxes import selftest
from nbjudge.cli import main
from nbjudge.grading.execution import progress
from nbjudge.grading.submission import canary, engine
signal.signal(signal.SIGINT, signal.default_int_handler)
selftest.require_sandbox = lambda *hidden: None
canary.prove = lambda *anything: None
grade, take = engine.grade, progress.Progress._take_started
def told(self, header, blobs):
    take(self, header, blobs)
    print("started", flush=True)
def telling(task, begin):
    progress.Progress._take_started = told
    return grade(task, begin)
engine.grade = telling
main()
"""


CTRL_C = b"\x03"


class Terminal:
    """A program as one types it: what is pressed goes through a terminal, which sends the signal to
    all that runs in its foreground.
    """

    def __init__(self, *command: str):
        self._screen, own = os.openpty()
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *command], stdin=own, stdout=own, stderr=own
        )
        os.close(own)
        self.pid = self._process.pid

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._screen)

    def press(self, keys: bytes) -> None:
        os.write(self._screen, keys)

    def until(self, word: bytes) -> bytes:
        """What the screen shows, up to the word or the program's end."""
        shown = b""
        with suppress(OSError):  # nobody holds the other end any more
            while word not in shown:
                shown += os.read(self._screen, 1 << 16)
        return shown

    def rest(self) -> tuple[str, int]:
        """What is shown until the program has ended, and its status."""
        shown = self.until(b"never shown \0")
        return shown.decode(errors="replace"), self._process.wait(60)


def solve(path, source):
    notebook = json.loads(path.read_text())
    next(
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")
    )["source"] = source
    path.write_text(json.dumps(notebook))


def spent(pid: int) -> float:
    """Seconds of the processor, of a process and of all that it has started."""
    root = psutil.Process(pid)
    ended = root.cpu_times()
    running = [root.cpu_times()]
    for each in root.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            running.append(each.cpu_times())
    return (
        ended.children_user
        + ended.children_system
        + sum(each.user + each.system for each in running)
    )


def of_children() -> float:
    """The same, of all processes that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_ctrl_c_ends_grading_and_the_next_call_goes_on(course, tmp_path):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    hand_in(own, Project(course.root.parent / "checkout"), "bob")
    path = own.submitted / "bob" / "day-50" / "inspect.ipynb"
    solved = path.read_text()
    solve(path, ENDLESS)
    command = [
        sys.executable,
        "-P",
        "-c",
        GRADE,
        "grade",
        "day-50",
        "--course",
        str(own.root),
        "--student",
        "bob",
        "--jobs",
        "1",
        "--seed",
        "50",
    ]
    reaped, began = of_children(), time.monotonic()
    with Terminal(*command) as terminal:
        assert b"started" in terminal.until(b"started")
        left = [os.pidfd_open(pid) for pid in descendants(terminal.pid)]
        before, started = spent(terminal.pid), time.monotonic()
        terminal.press(CTRL_C)
        said, status = terminal.rest()
        stopped = time.monotonic()
    assert of_children() - reaped - before < 2, (
        "seconds of the processor, which a busy machine does not stretch"
    )
    # Two seconds where nothing else runs. A busy machine stretches the start as it does the end.
    assert stopped - started < max(2, (started - began) / 2)
    assert status == 130
    assert "course: stopped. What was graded is kept; type the same command to go on" in said
    assert all(select.select([handle], [], [], 0)[0] for handle in left), (
        "a process of a box outlives the command"
    )
    assert not (own.autograded / "bob").exists()
    path.write_text(solved)
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr


def test_no_box_starts_in_a_group_that_has_ended():
    class Box:
        killed = False

        def kill(self):
            self.killed = True

    group, running, done = boxes.Group(), Box(), Box()
    group.add(running)
    group.add(done)
    group.discard(done)
    group.end()
    assert (running.killed, done.killed) == (True, False)
    with pytest.raises(boxes.SandboxUnavailable, match="stopped"):
        group.add(Box())

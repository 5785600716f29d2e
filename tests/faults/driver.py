"""One grading process in which things go wrong, one after the other, each while a submission is
graded; run by `own_mounts`.

    python -m tests.faults.driver OUT.json NAME…

For each name: inject, `coordinator.grade`, repair. OUT.json holds what each run reported and what
it left behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from nbjudge import boxes
from nbjudge.boxes import limits, mounts
from nbjudge.grading.config.budget import Budget
from nbjudge.grading.config.folders import Course
from nbjudge.grading.run import batch, coordinator
from tests.faults import own_mounts

COURSE = Path(own_mounts.PLACE)
PACKAGES = Path(boxes.__file__).resolve().parents[2]
BUDGET = Budget(cell=30, case=30, notebook=150)


@contextlib.contextmanager
def mounted(source: str, target: Path | str) -> Iterator[None]:
    own_mounts.ask(f"mount {source} {target}")
    try:
        yield
    finally:
        own_mounts.ask(f"umount {target}")


@contextlib.contextmanager
def dev_null() -> Iterator[None]:
    """A /dev/null that only its owner may write."""
    own_mounts.ask("echo > /mnt/null; chmod 444 /mnt/null")
    with mounted("--bind /mnt/null", "/dev/null"):
        yield


def without_library(pattern: str) -> Callable[[], contextlib.AbstractContextManager]:
    def fault() -> contextlib.AbstractContextManager:
        (path,) = PACKAGES.glob(pattern)
        own_mounts.ask(": > /mnt/empty")
        return mounted("--bind /mnt/empty", path)

    return fault


def package_removed() -> contextlib.AbstractContextManager:
    return mounted("-t tmpfs none", PACKAGES / "onnx")


@contextlib.contextmanager
def disk_full() -> Iterator[None]:
    filler = COURSE / "filler"
    try:
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
        with contextlib.suppress(OSError), open(filler, "ab", buffering=0) as file:
            while file.write(bytes(512)) == 512:
                pass
        yield
    finally:
        filler.unlink()


@contextlib.contextmanager
def no_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 2, hard)
    )
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Checkers have less memory than they need."""
    kept = limits.limits_for_checker
    limits.limits_for_checker = lambda: replace(kept(), memory_bytes=40 << 20)
    try:
        yield
    finally:
        limits.limits_for_checker = kept


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def bubblewrap(box: int) -> list[int]:
    return [box]


def template(box: int) -> list[int]:
    """The first child of process 1, which every job of the box is forked from."""
    return [pid for first in children(box) for pid in children(first)[:1]]


def killer(
    module: str, victims: Callable[[int], list[int]]
) -> Callable[[], contextlib.AbstractContextManager]:
    """Kills these processes of every box that runs `module`, by the pid of its bubblewrap."""

    @contextlib.contextmanager
    def fault() -> Iterator[None]:
        over = threading.Event()

        def work() -> None:
            while not over.wait(0.02):
                for box in children(os.getpid()):
                    if module not in command(box):
                        continue
                    # Not before the supervisor has a kernel: the checker has none.
                    if "runner" in module and not any(map(children, children(box))):
                        continue
                    for pid in victims(box):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    return fault


@contextlib.contextmanager
def tmp_full_and_clock_back() -> Iterator[None]:
    """Neither of them disturbs grading."""
    real, folder = time.time, Path("/mnt/tmp")  # not /tmp itself: the environment may lie there
    folder.mkdir()
    time.time, tempfile.tempdir = lambda: real() - 3600, str(folder)
    try:
        with mounted("-t tmpfs -o size=4k none", folder):
            with contextlib.suppress(OSError):
                (folder / "filler").write_bytes(bytes(1 << 20))
            yield
    finally:
        time.time, tempfile.tempdir = real, None
        folder.rmdir()


FAULTS: dict[str, Callable[[], contextlib.AbstractContextManager]] = {
    "unreadable /dev/null": dev_null,
    "library of the supervisor missing": without_library("zmq/backend/cython/_zmq*.so"),
    "library of the checker missing": without_library("safetensors/_safetensors_rust*.so"),
    "package removed": package_removed,
    "course disk full": disk_full,
    "no file descriptors": no_descriptors,
    "checker without memory": little_memory,
    "bubblewrap killed": killer("inside.runner", bubblewrap),
    "supervisor killed": killer("inside.runner", children),
    "checker killed": killer("inside.checker", children),
    "template of the checker killed": killer("inside.checker", template),
    "full /tmp, clock set back": tmp_full_and_clock_back,
    "nothing": contextlib.nullcontext,
}


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def graded_under(name: str) -> dict:
    """A run in which the fault begins once the sandbox and the canary have been tried."""
    fault = FAULTS[name]
    with contextlib.ExitStack() as stack:
        begun: list[bool] = []
        prove = batch.Run.prove

        def then_fault(run: batch.Run) -> None:
            prove(run)
            if not begun:
                begun.append(True)
                stack.enter_context(fault())

        with patch.object(batch.Run, "prove", then_fault):
            report = coordinator.grade(
                Course.at(COURSE),
                coordinator.GradingRequest(
                    "day-50",
                    seed=50,
                    jobs=1,
                    budget=BUDGET,
                ),
            )
    journal = COURSE / ".nbjudge" / "journal"
    return {
        "exit": report.exit_code,
        "submissions": json.loads("".join(report.json_text()))["submissions"],
        "journal": sorted(path.name for path in journal.rglob("*") if path.is_file()),
        "gradebook": hashlib.sha256((COURSE / "gradebook.db").read_bytes()).hexdigest(),
        "autograded": sorted(map(str, (COURSE / "autograded").rglob("*.ipynb"))),
    }


def main() -> None:
    out, *names = sys.argv[1:]
    tempfile.tempdir = str(COURSE.parent)
    mounts.prefixes()
    reports = {name: graded_under(name) for name in names}
    Path(out).write_text(json.dumps(reports))


if __name__ == "__main__":
    main()

"""The coordinator's end: an Executor whose futures are submissions on a cluster."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import fields, replace

from nbjudge import wire
from nbjudge.grading import engine, skeletons
from nbjudge.grading.budget import Budget
from nbjudge.grading.cluster import arrivals, own, parcel
from nbjudge.grading.cluster.scheduler import ClusterRefused, Scheduler
from nbjudge.grading.fingerprints import of_all_checks
from nbjudge.grading.results import SubmissionResult
from nbjudge.grading.task import Task

BRIDGE = "nbjudge.grading.cluster.bridge"
# How much longer than its budget a submission may take on a worker: two may wait for one another,
# and answers are judged after the run.
PATIENCE = 4
OVERHEAD_SECONDS = 300


class ClusterExecutor(Executor):
    """Grades `Task`s on workers. A future's result is always a SubmissionResult: what goes
    wrong is its `fault`.

    The first task opens the conversation, because it carries what all of them share. Raises
    ClusterRefused then.
    """

    def __init__(self, scheduler: Scheduler):
        self._scheduler = scheduler
        self._process: subprocess.Popen | None = None
        self._shared: tuple[int, ...] = ()
        self._waiting: dict[int, tuple[Future, Task]] = {}
        self._lock = threading.Lock()
        self._number = 0

    def submit(self, function, /, task: Task) -> Future:
        """A future of the task's result; `function` is engine.grade, which is what workers run."""
        if function is not engine.grade:
            raise TypeError("a cluster grades submissions, and nothing else")
        if self._process is None:
            self._open(task)
        elif self._shared != _identity(task):
            raise ValueError(
                "every submission of a run must share its skeletons, references and budget"
            )
        future, number = self._expected(task)
        frame = _task_frame(task, number)
        try:
            self._say(frame)
        except OSError:
            self._finish(number, "the connection to the cluster was lost: type the command again")
        return future

    def _expected(self, task: Task) -> tuple[Future, int]:
        """A future that waits for the task's result, and the number that the result will carry."""
        future: Future = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._number += 1
            self._waiting[self._number] = (future, task)
            return future, self._number

    def _say(self, frame: bytes) -> None:
        """To the process that speaks with the cluster. Raises OSError when it has ended."""
        self._process.stdin.write(frame)
        self._process.stdin.flush()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        if wait:
            self._reader.join()
        self._process.stdout.close()

    def _open(self, task: Task) -> None:
        with tempfile.TemporaryFile() as log:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
            self._process = subprocess.Popen([sys.executable, "-P", "-m", BRIDGE], **pipes)
            frames = wire.read(self._process.stdout, sys.maxsize)
            answer = self._greet(task, frames)
            if answer is None or answer.kind != "ready":
                self._process.kill()
                self._process.wait()
                self._process = None
                log.seek(0)
                raise ClusterRefused(self._refusal(answer, log.read().decode(errors="replace")))
        self._shared = _identity(task)
        self._reader = threading.Thread(target=self._read, args=(frames,), daemon=True)
        self._reader.start()

    def _greet(self, task: Task, frames: Iterator[wire.Frame]) -> wire.Frame | None:
        shared = parcel.pack((own.collect(), replace(task, submission=None)))
        hello = wire.encode(
            "connect",
            {"shared": shared},
            scheduler=self._scheduler.to_json(),
            checks=of_all_checks(),
        )
        try:
            self._say(hello)
            return next(frames, None)
        except (OSError, wire.WireError):
            return None

    def _refusal(self, answer: wire.Frame | None, log: str) -> str:
        address = self._scheduler.address
        if answer is not None:
            return f"nothing is graded at {address}: {answer.header.get('reason')}"
        if "No module named 'distributed'" in log or "No module named 'dask'" in log:
            return "grading on a cluster needs Dask: type `pip install -c requirements.lock '.[scale]'` in the course's folder"
        return f"nothing is graded at {address}: {(log.strip().splitlines() or ['the process that speaks with it ended'])[-1]}"

    def _read(self, frames: Iterator[wire.Frame]) -> None:
        try:
            for frame in frames:
                reason = (
                    frame.header.get("reason", "no reason given") if frame.kind == "fault" else ""
                )
                self._finish(
                    frame.header.get("number"), reason, frame.blobs.get("result.json", b"")
                )
        except (wire.WireError, OSError, ValueError):
            pass
        for number in list(self._waiting):
            self._finish(number, "the connection to the cluster was lost: type the command again")

    def _finish(self, number: object, fault: str, data: bytes = b"") -> None:
        with self._lock:
            future, task = self._waiting.pop(number, (None, None))
        if future is None:
            return
        if not fault:
            try:
                future.set_result(arrivals.accept(data, task))
                return
            except arrivals.Rejected as problem:
                fault = f"its worker's result was refused: {problem}"
            except Exception as error:  # this thread brings everybody's results
                fault = f"its worker's result cannot be read ({type(error).__name__})"
        future.set_result(_ungraded(task, fault))


def _ungraded(task: Task, fault: str) -> SubmissionResult:
    most = sum(map(skeletons.max_score, task.skeletons[task.current].values()))
    submission = task.submission
    return SubmissionResult(submission.student, most, timestamp=submission.timestamp, fault=fault)


def _task_frame(task: Task, number: int) -> bytes:
    # The secret names the student's feedback in the exchange, which is no worker's business.
    packed = {"submission": parcel.pack(replace(task.submission, secret=None))}
    return wire.encode("task", packed, number=number, seconds=_seconds(task))


# What differs from one submission to the next.
OWN = ("submission", "before", "turn", "stored", "answers", "at")


def _identity(task: Task) -> tuple[int, ...]:
    return tuple(id(getattr(task, one.name)) for one in fields(task) if one.name not in OWN)


def _seconds(task: Task) -> float:
    budget = task.budget or Budget()
    return PATIENCE * (2 * budget.submission + len(task.skeletons[task.current]) * OVERHEAD_SECONDS)

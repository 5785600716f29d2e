"""The process between the coordinator and Dask: frames in on its standard input, frames out on its
standard output.

In: `connect` (the scheduler and the part that submissions share), then `task`s. Out: `ready` or
`refused`, then one `result` or `fault` for each task. It asks every worker to join before it sends
work there, sends a submission again when its worker is lost, and gives up on one that gets no
answer in time. It writes no mark and knows no course.
"""

from __future__ import annotations

import hashlib
import os
import queue
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from nbjudge import wire
from nbjudge.grading.cluster import answers, sealed, worker

JOIN_SECONDS = 180

MAX_ATTEMPTS = 3
MAX_MEMORY = 2 << 30
TICK = 0.5


@dataclass
class Job:
    """A submission that is out. `future` is None while no worker has it; `workers` are those that
    may take it.
    """

    number: int
    submission: bytes
    seconds: float
    deadline: float
    attempts: int = 0
    future: object = None
    workers: frozenset[str] = frozenset()


@dataclass
class Workers:
    """Addresses by what is known of them: asked to join (with the future and its deadline), joined,
    or unfit (with the reason).
    """

    asked: dict[str, tuple[object, float]] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    unfit: dict[str, str] = field(default_factory=dict)


class Bridge:
    """One conversation. `events` brings frames of the coordinator and futures that are done into
    the one thread that acts.
    """

    def __init__(self, client, shared: bytes, checks: str, send: Callable[[bytes], None]):
        self.client, self.shared, self.checks, self.send = client, shared, checks, send
        self.name = hashlib.sha256(shared).hexdigest()
        self.workers, self.jobs = Workers(), {}
        self.events: queue.SimpleQueue = queue.SimpleQueue()

    def meet(self, patience: float = JOIN_SECONDS) -> str:
        """Wait for a worker. Returns why none has joined, when all answered or time is up."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            self.look_round()
            if self.workers.joined:
                return ""
            if self.workers.unfit and not self.workers.asked:
                break
            time.sleep(TICK)
        told = "; ".join(
            f"{address}: {why}" for address, why in sorted(self.workers.unfit.items())[:3]
        )
        return (
            f"no worker can grade: {told}" if told else "the scheduler has no worker that answers"
        )

    def run(self) -> None:
        """Act until the coordinator closes its end."""
        looked = 0.0
        while True:
            try:
                event = self.events.get(timeout=TICK)
            except queue.Empty:
                event = ()
            if event is None:
                return
            if isinstance(event, wire.Frame):
                self._take(event)
            elif event:
                self._ended(*event)
            if time.monotonic() - looked >= TICK:
                self.look_round()
                self._mind_jobs()
                looked = time.monotonic()

    def look_round(self) -> None:
        """Ask new workers to join, hear those that were asked, forget those that are gone."""
        listed = self.client.scheduler_info(n_workers=-1).get("workers", {})
        present = {address for address in listed if isinstance(address, str)}
        known = self.workers
        for address in (known.joined | known.asked.keys() | known.unfit.keys()) - present:
            known.joined.discard(address)
            known.asked.pop(address, None)
            known.unfit.pop(address, None)
        for address in present - known.joined - known.asked.keys() - known.unfit.keys():
            known.asked[address] = self._ask(address), time.monotonic() + JOIN_SECONDS
        for address, (future, deadline) in list(known.asked.items()):
            if future.done() or time.monotonic() > deadline:
                del known.asked[address]
                self._hear(address, future)

    def _ask(self, address: str):
        """The future of a worker's answer on whether it joins."""
        key = f"join-{self.name[:12]}-{address}-{time.monotonic_ns()}"
        where = {"key": key, "workers": [address], "pure": False}
        return self.client.submit(worker.join, self.shared, **where)

    def _hear(self, address: str, future) -> None:
        frame, why = self._fetch(future)
        if frame and frame.kind == "joined" and frame.header.get("checks") == self.checks:
            self.workers.joined.add(address)
            return
        if frame and frame.kind == "joined":
            why = "it has another version of autograder installed"
        elif frame:
            why = _text(frame.header.get("reason"))
        self.workers.unfit[address] = why or "it did not answer in time"

    def _take(self, frame: wire.Frame) -> None:
        if frame.kind == "task":
            seconds = frame.header["seconds"]
            job = Job(
                frame.header["number"],
                frame.blobs["submission"],
                seconds,
                time.monotonic() + seconds,
            )
            self.jobs[job.number] = job
            self._start(job)

    def _start(self, job: Job) -> None:
        job.future, job.workers = None, frozenset(self.workers.joined)
        if not job.workers:
            return
        job.attempts += 1
        job.deadline = time.monotonic() + job.seconds
        key = f"grade-{self.name[:12]}-{job.number}-{job.attempts}-{time.monotonic_ns()}"
        where = {"key": key, "workers": sorted(job.workers), "pure": False}
        future = job.future = self.client.submit(worker.grade, self.name, job.submission, **where)
        future.add_done_callback(lambda done, number=job.number: self.events.put((number, done)))

    def _ended(self, number: int, future) -> None:
        job = self.jobs.get(number)
        if job is None or job.future is not future:
            return
        frame, why = self._fetch(future)
        if not frame and not why:
            self._again(job, "its worker was lost")
        elif frame and frame.kind == "stranger":
            self.workers.joined -= job.workers
            self._again(job, "its worker was started anew")
        elif frame and frame.kind == "result":
            told = {"result.json": frame.blobs.get("result.json", b"")}  # and nothing else of it
            self._done(job, wire.encode("result", told, number=job.number))
        else:
            self._fault(
                job, f"on its worker: {_text(frame.header.get('reason'))}" if frame else why
            )

    def _fetch(self, future) -> tuple[wire.Frame | None, str]:
        """The one frame that a task returned, or why there is none; neither, when it was lost
        before it was fetched.
        """
        if future.status == "error":
            return None, "its worker was lost again and again, or ended with an exception"
        if future.status != "finished":
            return None, ""
        try:
            value = answers.gathered(self.client, future.key)
        except answers.NoAnswer as problem:
            return None, str(problem)
        return answers.frame_of(value) if value is not None else (None, "")

    def _mind_jobs(self) -> None:
        for job in list(self.jobs.values()):
            if time.monotonic() > job.deadline:
                self._fault(job, f"no answer within {job.seconds:.0f} s")
            elif job.future is None:
                self._start(job)
            elif not job.future.done() and not job.workers & self.workers.joined:
                self._again(job, "its worker was lost")

    def _again(self, job: Job, why: str) -> None:
        if job.future is not None:
            job.future.cancel()
        if job.attempts >= MAX_ATTEMPTS:
            self._fault(job, f"{why}, {job.attempts} times")
        else:
            self._start(job)

    def _fault(self, job: Job, why: str) -> None:
        self._done(job, wire.encode("fault", number=job.number, reason=why))

    def _done(self, job: Job, frame: bytes) -> None:
        future, job.future = job.future, None
        del self.jobs[job.number]
        if future is not None and not future.done():
            future.cancel()
        self.send(frame)


def main() -> None:
    sealed.seal()
    incoming, send = _channels()
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))
    frames = wire.read(incoming, sys.maxsize)
    first = next(frames)
    try:
        client = sealed.connected(first.header["scheduler"])
    except Exception as error:
        send(wire.encode("refused", reason=_why(error)))
        return
    bridge = Bridge(client, first.blobs["shared"], first.header["checks"], send)
    if why := bridge.meet():
        send(wire.encode("refused", reason=why))
        return
    send(wire.encode("ready", workers=len(bridge.workers.joined)))
    threading.Thread(target=_listen, args=(frames, bridge.events), daemon=True).start()
    bridge.run()


def _channels():
    """Standard input, and a way to send on standard output, which nothing else can write to any
    more.
    """
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(frame: bytes) -> None:
        out.write(frame)
        out.flush()

    return sys.stdin.buffer, send


def _listen(frames: Iterator[wire.Frame], events: queue.SimpleQueue) -> None:
    try:
        for frame in frames:
            events.put(frame)
    finally:
        events.put(None)


def _why(error: Exception) -> str:
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and len(causes) < 5:
        causes.append(cause)
    return _text(next((str(one) for one in reversed(causes) if str(one)), type(error).__name__))


def _text(value: object) -> str:
    return "".join(char if char.isprintable() else " " for char in str(value))[:500]


if __name__ == "__main__":
    main()
    os._exit(0)  # Dask's threads would wait for a conversation that nobody needs any more

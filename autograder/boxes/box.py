"""Run one module in one fresh box."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from autograder import wire
from autograder.boxes import launch, slots
from autograder.boxes.errors import BoxFailure, BoxFault, BoxKilled, SandboxUnavailable
from autograder.boxes.inside.channel import OUT_OF_MEMORY
from autograder.boxes.limits import Limits
from autograder.boxes.process import BoxProcess
from autograder.boxes.watchdog import Watchdog

_KILLED = 128 + signal.SIGKILL  # what bwrap reports of a process 1 that was killed


@dataclass(frozen=True)
class BoxRun:
    """What came out of a box, and how it ended.

    `ended` is `finished`, `deadline`, `memory`, `output` (more than `Limits.output_bytes`), `crashed`, `protocol` (bytes that are no
    frames), `killed` (by a signal that came from outside, and not from here) or `starved` (the same, while the machine had no memory
    left). `frames` are all whole frames that were kept, also of a box that ended badly. `detail` is for the harness's log: it may quote
    what the box wrote to stderr, so it is never shown to a student or rendered as HTML. `cut`: the last frame did not come whole.
    """

    frames: list[wire.Frame]
    ended: str
    detail: str
    seconds: float
    cut: bool = False


def run(
    module: str,
    frames: Iterable[bytes],
    limits: Limits,
    on_frame: Callable[[wire.Frame], None] | None = None,
    reply: Callable[[wire.Frame], bytes] | None = None,
    store: wire.Store | None = None,
) -> BoxRun:
    """Run `python -I -m module` in a fresh box: `frames` on its stdin, frames from its stdout. Large blobs of these go into `store`.

    Frames that `on_frame` takes are not kept.

    With `reply` the stdin stays open behind `frames`, and gets what `reply` returns for each frame of the kind `ask`. Those frames are not
    kept, however many there are. A WireError of `reply` ends the box as `protocol`.

    Safe to call from many threads; the calling thread must live until the call returns, because the box dies with it. An exception of
    `frames`, `on_frame` or `reply` ends the box and is raised again.

    Raises SandboxUnavailable when boxes cannot be started here, and BoxFailure when this one failed before it looked at its input.
    """
    started, starved = time.monotonic(), _starved()
    with (
        _identity() as uid,
        BoxProcess(module, limits, uid, frames, reply is not None) as box,
        Watchdog(limits, box.kill, box.has_ended) as watchdog,
    ):
        first = box.first_pid()
        kept: list[wire.Frame] = []
        problem, ready, cut = "", False, False
        try:
            for frame in wire.read(box.stdout, limits.output_bytes, store):
                if not ready:
                    ready = frame.kind == "ready"
                    watchdog.watch(first)
                elif frame.kind == "fault":
                    raise BoxFault(f"{module} failed: {str(frame.header.get('detail'))[-4000:]}".strip())
                elif frame.kind == "ask" and reply is not None:
                    box.tell(reply(frame))
                elif on_frame is not None:
                    on_frame(frame)
                else:
                    kept.append(frame)
        except wire.Truncated:
            cut = True  # how the process ended is what tells
        except wire.WireError as error:
            problem = str(error)
            box.kill()
        code = box.wait()
        if box.feed_error is not None:
            raise box.feed_error
        if not ready:
            raise _launch_error(module, code, watchdog, box.stderr)
        ended, detail = _verdict(code, watchdog, problem, box.stderr, starved)
    return BoxRun(kept, ended, detail, time.monotonic() - started, cut)


@contextlib.contextmanager
def _identity() -> Iterator[int | None]:
    """The slot of a box that real root starts; an ordinary user needs none."""
    if os.geteuid() != 0:
        yield None
        return
    with slots.slot() as uid:
        yield uid


def _starved() -> int:
    """How many processes the system has ended so far because no memory was left."""
    with contextlib.suppress(OSError, StopIteration), open("/proc/vmstat") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
    return 0


def _verdict(code: int, watchdog: Watchdog, problem: str, stderr: str, starved: int) -> tuple[str, str]:
    """How a box that had started ended, and the detail for the log."""
    if watchdog.reason is not None:
        return watchdog.reason, watchdog.detail
    if problem:
        return ("output" if "over the limit" in problem else "protocol"), problem
    if code == 0:
        return "finished", ""
    if code == OUT_OF_MEMORY:
        return "memory", "more memory was asked for than the limit allows"
    if code == _KILLED and watchdog.used_up_cpu:
        return "deadline", "its processor time was over"
    if code == _KILLED or code < 0:
        # Nothing in a box can send its process 1, or bubblewrap, a signal that ends it.
        return ("starved" if _starved() > starved else "killed"), "a process that holds the box was killed"
    return "crashed", f"exit status {code}\n{stderr}".strip()


def _launch_error(module: str, code: int, watchdog: Watchdog, stderr: str) -> SandboxUnavailable:
    """Why a box never said that it was ready: nothing of its input was touched, so this is the harness's fault."""
    told = stderr or watchdog.detail or f"exit status {code}, and nothing on stderr"
    if stderr.startswith(("bwrap:", "setpriv:", "prlimit:")):
        return SandboxUnavailable(f"the sandbox does not start: {told}\n{launch.explain(stderr)}")
    if (code == _KILLED or code < 0) and watchdog.reason is None:
        return BoxKilled(f"{module} was killed from outside before it was ready")
    return BoxFailure(f"{module} did not start in its box: {told}")

"""How a box ended, and whose doing that was."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass

from nbjudge import wire
from nbjudge.boxes import launch
from nbjudge.boxes.errors import BoxFailure, BoxKilled, SandboxUnavailable
from nbjudge.boxes.inside.channel import OUT_OF_MEMORY, OUT_OF_TIME
from nbjudge.boxes.watchdog import Watchdog

KILLED = 128 + signal.SIGKILL  # what bwrap reports of a process 1 that was killed


@dataclass(frozen=True, kw_only=True)
class BoxRun:
    """What came out of a box, and how it ended.

    `ended` is `finished`, `deadline`, `memory`, `output` (more than `Limits.output_bytes`),
    `crashed`, `protocol` (bytes that are no frames), `killed` (by a signal that came from outside,
    and not from here) or `starved` (the same, while the machine had no memory left). `frames` are
    all whole frames that were kept, also of a box that ended badly. `detail` is for the harness's
    log: it may quote what the box wrote to stderr, so it is never shown to a student or rendered as
    HTML. `cut`: the last frame did not come whole. `processor` are the seconds that the box's
    process 1 used, and the processes that it saw end: of a box that ended badly, less than all.
    """

    frames: list[wire.Frame]
    ended: str
    detail: str
    seconds: float
    cut: bool = False
    processor: float = 0.0


def starved() -> int:
    """How many processes the system has ended so far because no memory was left."""
    with contextlib.suppress(OSError, StopIteration), open("/proc/vmstat") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
    return 0


def how(code: int, watchdog: Watchdog, problem: str, stderr: str, before: int) -> tuple[str, str]:
    """How a box that had started ended, and the detail for the log."""
    if code == 0 and not problem:  # by itself, a moment before it would have been killed
        return "finished", ""
    if watchdog.reason is not None:
        return watchdog.reason, watchdog.detail
    if problem:
        return ("output" if "over the limit" in problem else "protocol"), problem
    if code == OUT_OF_MEMORY:
        return "memory", "more memory was asked for than the limit allows"
    if code == OUT_OF_TIME or (code == KILLED and watchdog.used_up_cpu):
        return "deadline", "its processor time was over"
    if code == KILLED or code < 0:
        # Nothing in a box can send its process 1, or bubblewrap, a signal that ends it.
        return (
            "starved" if starved() > before else "killed"
        ), "a process that holds the box was killed"
    return "crashed", f"exit status {code}\n{stderr}".strip()


def launch_error(module: str, code: int, watchdog: Watchdog, stderr: str) -> SandboxUnavailable:
    """Why a box never said that it was ready: nothing of its input was touched, so this is the
    harness's fault.
    """
    reason = stderr or watchdog.detail or f"exit status {code}, and nothing on stderr"
    if stderr.startswith(("bwrap:", "setpriv:", "prlimit:")):
        return SandboxUnavailable(f"the sandbox does not start: {reason}\n{launch.explain(stderr)}")
    if (code == KILLED or code < 0) and watchdog.reason is None:
        return BoxKilled(f"{module} was killed from outside before it was ready")
    return BoxFailure(f"{module} did not start in its box: {reason}")

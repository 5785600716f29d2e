"""Execute one cell in a kernel, up to a deadline, and keep its outputs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from nbjudge.boxes.inside.kernel_client import Kernel
from nbjudge.boxes.inside.outputs import Outputs, error

_INTERRUPT_SECONDS = 5.0
# How long to wait for the last outputs of a cell. It matters for a kernel alone whose student's code
# took its channels away: a whole kernel answers sooner.
_LAST_OUTPUT_SECONDS = 10.0
_DEAF_SECONDS = 2.0
_ASK_AGAIN_SECONDS = 0.2
# What takes longer than this between two looks is the machine's doing.
_STILL_SECONDS = 1.0
# Asked behind a cell: whether its last expression had no value. An object may show nothing of itself.
NO_VALUE = '__import__("IPython").get_ipython().last_execution_result.result is None'


@dataclass
class Outcome:
    """`status` is ok, error, timeout, died or not_run. With `kernel_lost` the kernel is dead, or
    deaf and to be killed.

    `killed`: the kernel died of SIGKILL, which may have come from anywhere; perhaps a moment after the
    cell ended. `incomplete`: some of its output never came, and nobody knows what that was.
    """

    status: str
    _: KW_ONLY
    execution_count: int | None = None
    outputs: list[dict] = field(default_factory=list)
    truncated: bool = False
    incomplete: bool = False
    kernel_lost: bool = False
    killed: bool = False

    def to_header(self) -> dict:
        return {
            "status": self.status,
            "execution_count": self.execution_count,
            "outputs": self.outputs,
            "truncated": self.truncated,
            "incomplete": self.incomplete,
            "kernel_lost": self.kernel_lost,
        }


def unreadable(source: str) -> str | None:
    """Why a source cannot even be sent to a kernel, so that the cell fails alone; None if it can."""
    if "\0" in source:
        return "the cell contains a NUL character"
    try:
        source.encode()
    except UnicodeEncodeError:
        return "the cell contains a lone surrogate, which is no character"
    return None


def execute(
    kernel: Kernel,
    source: str,
    *,
    output_bytes: int,
    left: Callable[[], float],
    tick: Callable[[], None] | None = None,
    patient: bool = True,
    expression: str | None = None,
) -> Outcome:
    """Run `source`, then evaluate `expression`. `left()` is asked again and again how many
    seconds the cell still has.

    A patient run interrupts an overdue cell first and gives the kernel up only if that does not
    help. `tick` is called about fifty times a second while the cell runs.
    """
    if reason := unreadable(source):
        return Outcome("error", outputs=[error("SyntaxError", reason)])
    run = _Run(kernel, source, expression, Outputs(output_bytes))
    if not run.until_done(left, tick):
        return _overdue(kernel, run, tick, patient) if kernel.alive() else _died(kernel, run)
    run.until_quiet(left)
    outcome = run.finished()
    outcome.killed = not kernel.alive() and kernel.killed()
    return outcome


def _died(kernel: Kernel, run: _Run) -> Outcome:
    failure = error("DeadKernelError", "the kernel died while it ran this cell")
    outcome = run.outcome("died", failure, lost=True)
    outcome.killed = kernel.killed()
    return outcome


def _overdue(kernel: Kernel, run: _Run, tick: Callable[[], None] | None, patient: bool) -> Outcome:
    """The outcome of a cell that did not end; the kernel is lost unless an interrupt helps."""
    limit = time.monotonic() + _INTERRUPT_SECONDS
    if patient:
        kernel.interrupt()
    lost = not (patient and run.until_done(lambda: limit - time.monotonic(), tick))
    failure = error("CellTimeoutError", "the cell did not end in the time that it has")
    return run.outcome("timeout", failure, lost=lost)


class _Run:
    """One execution: which messages belong to it, and whether it is over."""

    def __init__(self, kernel: Kernel, source: str, expression: str | None, outputs: Outputs):
        self._kernel = kernel
        self._outputs = outputs
        self._expression = expression
        self._id = kernel.execute(source, expression)
        self._probes: set[str] = set()
        self._reply: dict | None = None
        self._idle = self._probe_answered = self._probe_shown = self._incomplete = False
        self._count: int | None = None

    def until_done(self, left: Callable[[], float], tick: Callable[[], None] | None) -> bool:
        """Wait until the kernel says, in one way or another, that the cell is over. Returns False when
        the kernel died or the time is up.
        """
        started = time.monotonic()
        pause = 1.0
        while not self._is_over:
            alive = self._kernel.alive()
            self._take(0.02 if tick else 0.1)
            if tick:
                tick()
            if not alive:
                return False
            if left() < 0:
                return self._is_over
            if time.monotonic() > started + pause:
                # A reply that was too long for the socket is lost, and so is what follows at once:
                # ask, less and less often.
                self._probes.add(self._kernel.probe())
                pause *= 2
        return True

    def until_quiet(self, left: Callable[[], float]) -> None:
        """Wait for the outputs that were sent before the reply, and for the reply itself, at most
        for as long as the cell might have run: a thread of it may go on talking.

        On each of its two channels a kernel speaks in order: what has not come when it speaks of a
        later question there was lost.
        """
        began = time.monotonic()
        pause = _ASK_AGAIN_SECONDS
        limit = began + (_DEAF_SECONDS if self._kernel.is_deaf else _LAST_OUTPUT_SECONDS)
        longest = max(limit - began, left())
        listened = 0.0
        before = began
        while not self._is_quiet and self._kernel.alive():
            arrived = self._take(0.05)
            now = time.monotonic()
            listened = listened + min(now - before, _STILL_SECONDS)
            before = now
            # Messages that arrived while the machine stood still are taken first.
            if now > limit and not (arrived and listened < longest):
                self._kernel.is_deaf = not self._is_quiet
                break
            if now > began + pause:
                self._probes.add(self._kernel.probe())
                pause *= 2
        if not (self._reply and self._idle):
            self._lose()

    @property
    def _is_over(self) -> bool:
        return bool(self._reply or self._idle or self._probe_answered)

    @property
    def _is_quiet(self) -> bool:
        """Whether all messages of the execution have arrived, but for those that were lost."""
        return bool(self._reply or self._probe_answered) and (self._idle or self._probe_shown)

    def finished(self) -> Outcome:
        """The outcome of a cell that ended. An error counts even when the student's code hid its
        traceback.
        """
        if self._reply is None:
            return self.outcome(
                "error",
                error(
                    "ReplyLost", "the cell's result, or its error message, is too long to be taken"
                ),
            )
        shown = any(output["output_type"] == "error" for output in self._outputs.list)
        has_value = self._expression == NO_VALUE and _value_text(self._reply) == "False"
        if has_value and not self._incomplete:
            self._outputs.add_unshown_result()
        failed = self._reply.get("status") != "ok"
        if failed and not shown:
            self._outputs.add("error", self._reply)
        return self.outcome("error" if failed or shown else "ok")

    def outcome(self, status: str, extra: dict | None = None, lost: bool = False) -> Outcome:
        outputs = [*self._outputs.list, *([extra] if extra else [])]
        truncated = self._outputs.truncated
        return Outcome(
            status,
            execution_count=self._count,
            outputs=outputs,
            truncated=truncated,
            incomplete=self._incomplete,
            kernel_lost=lost,
        )

    def _take(self, seconds: float) -> bool:
        """Take the messages that have arrived, after waiting up to `seconds` for the first one. Returns
        whether there was any.
        """
        arrived = False
        for channel, message in self._kernel.messages(seconds):
            arrived = True
            parent = message["parent_header"].get("msg_id")
            if parent in self._probes:
                self._probe_answered |= channel == "shell"
                self._probe_shown |= channel == "iopub"
            # What else comes is late output of an earlier cell: outputs are frozen when a cell ends.
            if parent == self._id:
                self._hear(channel, message["msg_type"], message["content"])
        if self._kernel.lost_messages:
            self._kernel.lost_messages = False
            self._lose()
        return arrived

    def _hear(self, channel: str, kind: str, content: dict) -> None:
        """Take a message that belongs to this execution."""
        if channel == "shell":
            if kind == "execute_reply":
                self._reply = content
        elif kind == "status":
            self._idle |= content.get("execution_state") == "idle"
        elif kind == "execute_input":
            count = content.get("execution_count")
            self._count = count if type(count) is int and abs(count) < 1 << 31 else None
        else:
            self._outputs.add(kind, content)

    def _lose(self) -> None:
        self._incomplete = True
        self._outputs.cut()


def _value_text(reply: dict) -> object:
    """The value of the expression that was evaluated behind a cell, as text; None where the reply
    holds none.
    """
    found: object = reply
    for key in ("user_expressions", "value", "data", "text/plain"):
        found = found.get(key) if isinstance(found, dict) else None
    return found

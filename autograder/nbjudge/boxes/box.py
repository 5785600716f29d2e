"""Run one module in one fresh box."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from nbjudge import wire
from nbjudge.boxes import ending, slots
from nbjudge.boxes.ending import BoxRun
from nbjudge.boxes.errors import BoxFault, SandboxUnavailable
from nbjudge.boxes.limits import Limits
from nbjudge.boxes.process import BoxProcess
from nbjudge.boxes.watchdog import Watchdog


def run(
    module: str,
    frames: Iterable[bytes],
    limits: Limits,
    *,
    on_frame: Callable[[wire.Frame], None] | None = None,
    reply: Callable[[wire.Frame], bytes] | None = None,
    store: wire.Store | None = None,
) -> BoxRun:
    """Run `python -I -m module` in a fresh box: `frames` on its stdin, frames from its stdout.
    Large blobs of these go into `store`.

    Frames that `on_frame` takes are not kept.

    With `reply` the stdin stays open behind `frames`, and gets what `reply` returns for each frame
    of the kind `ask`. Those frames are not kept, however many there are. A WireError of `reply`
    ends the box as `protocol`.

    Safe to call from many threads; the calling thread must live until the call returns, because the
    box dies with it. An exception of `frames`, `on_frame` or `reply` ends the box and is raised
    again.

    Raises SandboxUnavailable when boxes cannot be started here, and BoxFailure when this one failed
    before it looked at its input.
    """
    with _Box(module, limits, frames, reply is not None) as box:
        return box.follow(limits, on_frame, reply, store)


class Series:
    """One box for several jobs, one after the other; a context manager, for one thread.

    The box stays as long as each job ends well and says that nothing of it is left. Otherwise, and
    for a job with other limits, the next one gets a fresh box. `limits` hold for each job: its
    time, its output and its memory; processor time is that of each process.
    """

    def __init__(self, module: str):
        self._module = module
        self._box: _Box | None = None

    def __enter__(self) -> Series:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def run(
        self,
        frames: Callable[[], Iterable[bytes]],
        limits: Limits,
        on_frame: Callable[[wire.Frame], None] | None = None,
        reply: Callable[[wire.Frame], bytes] | None = None,
        store: wire.Store | None = None,
    ) -> BoxRun:
        """As `run`; a job that a used box did not begin is begun in a fresh one."""
        is_used = self._box is not None and self._box.is_fit_for(limits)
        heard: list[bool] = []

        def hear(frame: wire.Frame) -> None:
            heard.append(True)
            if on_frame is not None:
                on_frame(frame)

        try:
            ended = self._run(frames(), limits, hear if on_frame else None, reply, store)
            is_begun = self._box is not None or bool(heard or ended.frames)
        except SandboxUnavailable:
            if not is_used or heard:
                raise
            is_begun = False
        if is_begun or not is_used:
            return ended
        return self._run(frames(), limits, on_frame, reply, store)

    def _run(self, frames: Iterable[bytes], limits: Limits, *told) -> BoxRun:
        box = self._fit(limits)
        box.tell(frames)
        stays = False
        try:
            ended = box.follow(limits, *told)
            stays = box.is_free
            return ended
        finally:
            if not stays:
                self.close()

    def _fit(self, limits: Limits) -> _Box:
        if self._box is not None and not self._box.is_fit_for(limits):
            self.close()
        if self._box is None:
            token = secrets.token_hex(16)
            hello = [wire.encode("series", token=token)]
            self._box = _Box(self._module, limits, hello, True, token).__enter__()
        return self._box

    def close(self) -> None:
        """End the box, if there is one. The next job gets a fresh one."""
        box = self._box
        self._box = None
        if box is not None:
            box.__exit__(None, None, None)


class _Box:
    """A started box. With a `token` it takes jobs until it does not say `free` with that token at
    the end of one.
    """

    def __init__(
        self,
        module: str,
        limits: Limits,
        frames: Iterable[bytes],
        talking: bool,
        token: str | None = None,
    ):
        self._module = module
        self._limits = limits
        self._token = token
        self._frames = frames
        self._talking = talking
        self._ready = False
        self.is_free = False
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> _Box:
        with contextlib.ExitStack() as stack:
            self._uid = stack.enter_context(_identity())
            self._process = stack.enter_context(
                BoxProcess(self._module, self._limits, self._uid, self._frames, self._talking)
            )
            self._watchdog = stack.enter_context(
                Watchdog(self._limits, self._process.kill, self._process.has_ended)
            )
            self._first = self._process.first_pid()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_) -> None:
        if self.is_free:
            self._process.finish()
        self._stack.close()

    def is_fit_for(self, limits: Limits) -> bool:
        """Whether it can take a job with these limits: alive, the same but for the time, and its
        process 1 has used little of its own.
        """
        same = replace(limits, wall_seconds=self._limits.wall_seconds) == self._limits
        return (
            same
            and self.is_free
            and not self._process.has_ended()
            and self._watchdog.cpu < limits.cpu_seconds / 4
        )

    def tell(self, frames: Iterable[bytes]) -> None:
        self._process.tell(frames)

    def follow(
        self,
        limits: Limits,
        on_frame: Callable[[wire.Frame], None] | None,
        reply: Callable[[wire.Frame], bytes] | None,
        store: wire.Store | None,
    ) -> BoxRun:
        """Take the frames of one job, until it is over or the box is."""
        started = time.monotonic()
        starved = ending.starved()
        box = self._process
        watchdog = self._watchdog
        used = watchdog.processor()
        watchdog.begin(limits.wall_seconds)
        kept: list[wire.Frame] = []
        problem = ""
        cut = False
        self.is_free = False
        try:
            for frame in wire.read(box.stdout, limits.output_bytes, store):
                if self._take(frame, on_frame or kept.append, reply):
                    break
        except wire.Truncated:
            cut = True  # how the process ended is what tells
        except wire.WireError as error:
            problem = str(error)
            box.kill()
        if self.is_free and watchdog.rest():
            spent = watchdog.processor() - used
            return BoxRun(
                frames=kept,
                ended="finished",
                detail="",
                seconds=time.monotonic() - started,
                processor=spent,
            )
        self.is_free = False
        code = box.wait()
        if box.feed_error is not None:
            raise box.feed_error
        if not self._ready:
            raise ending.launch_error(self._module, code, watchdog, box.stderr)
        ended, detail = ending.how(code, watchdog, problem, box.stderr, starved)
        seconds = time.monotonic() - started
        spent = watchdog.processor() - used
        return BoxRun(
            frames=kept, ended=ended, detail=detail, seconds=seconds, cut=cut, processor=spent
        )

    def _take(
        self,
        frame: wire.Frame,
        take: Callable[[wire.Frame], None],
        reply: Callable[[wire.Frame], bytes] | None,
    ) -> bool:
        """Whether the frame says that the job is over."""
        if not self._ready:
            self._ready = frame.kind == "ready"
            self._watchdog.watch(self._first)
        elif frame.kind == "fault":
            said = str(frame.header.get("detail"))[-4000:]
            raise BoxFault(f"{self._module} failed: {said}".strip())
        elif frame.kind == "free":
            self.is_free = self._token is not None and frame.header.get("token") == self._token
            return self.is_free
        elif frame.kind == "ask" and reply is not None:
            self._process.tell([reply(frame)])
        else:
            take(frame)
        return False


@contextlib.contextmanager
def _identity() -> Iterator[int | None]:
    """The slot of a box that real root starts; an ordinary user needs none."""
    if os.geteuid() != 0:
        yield None
        return
    with slots.slot() as uid:
        yield uid

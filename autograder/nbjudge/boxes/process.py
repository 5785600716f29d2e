"""One box as a process of the host: started, fed, killed, and gone when the context ends."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
from collections.abc import Iterable
from io import BufferedReader, BufferedWriter
from queue import SimpleQueue
from typing import BinaryIO

from nbjudge.boxes import group, launch, seccomp
from nbjudge.boxes.errors import SandboxUnavailable
from nbjudge.boxes.limits import Limits

_STDERR_BYTES = 64 << 10
_SETUP_SECONDS = 10.0
_END_SECONDS = 2.0
_GONE_SECONDS = 300.0


class BoxProcess:
    """A context manager. `stdout` carries the box's frames; threads of its own feed the input and
    drain stderr.

    The input ends with `frames`, or, in a `talking` process, when the context ends: until then
    `tell` adds to it. `feed_error` is what `frames` raised, if it did. Raises SandboxUnavailable
    when the command cannot be made.
    """

    def __init__(
        self,
        module: str,
        limits: Limits,
        uid: int | None,
        frames: Iterable[bytes],
        talking: bool = False,
    ):
        self.feed_error: BaseException | None = None
        self._told: SimpleQueue[Iterable[bytes] | None] = SimpleQueue()
        if not talking:
            self._told.put(None)
        self._frames = frames
        self._stderr = bytearray()
        self._first_handle: int | None = None
        # Whoever kills the box may do so while its handle is being closed, and the number is given
        # to another file then.
        self._handling = threading.Lock()
        self._located = threading.Event()
        self._group = group.of_this_thread()
        self._process, self._info = _start(module, limits, uid)
        self._stdin, self._stdout, self._stderr_pipe = _pipes(self._process)
        feeder, self._drainer = (
            threading.Thread(target=work, daemon=True) for work in (self._feed, self._drain)
        )
        self._threads = [feeder, self._drainer]

    def __enter__(self) -> BoxProcess:
        try:
            for thread in self._threads:
                thread.start()
            self._group.add(self)
        except BaseException:
            # No thread can be started, or grading was stopped: nothing of the box may stay.
            self._threads = [thread for thread in self._threads if thread.ident is not None]
            self.first_pid()
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._group.discard(self)
        self.kill()
        self._process.wait()
        self._let_go()
        self._told.put(None)
        for thread in self._threads:
            thread.join()
        for pipe in (self._stdin, self._stdout, self._stderr_pipe, self._info):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    @property
    def stdout(self) -> BinaryIO:
        return self._stdout

    @property
    def stderr(self) -> str:
        """The last part of what was written there; after `wait`, all of it has come."""
        return self._stderr.decode(errors="replace").strip()

    def first_pid(self) -> int | None:
        """The host's pid of the box's process 1, once bwrap has made it; None when it never did."""
        # Read to the end: bwrap dies of SIGPIPE, leaving an orphan, when its info pipe is closed
        # early.
        text = self._info.read()
        pid = None
        with contextlib.suppress(ValueError, KeyError, ProcessLookupError):
            pid = json.loads(text)["child-pid"]
            self._first_handle = os.pidfd_open(pid)
        self._located.set()
        return pid

    @property
    def first(self) -> int | None:
        """The handle of the box's process 1, after `first_pid`."""
        return self._first_handle

    def kill(self) -> None:
        """End bwrap and the box's process 1, and with it everything in the box."""
        # Of a box that is still being set up, bwrap's death alone would leave the rest behind.
        self._located.wait(_SETUP_SECONDS)
        self._process.kill()
        with self._handling, contextlib.suppress(ProcessLookupError):
            if self._first_handle is not None:
                signal.pidfd_send_signal(self._first_handle, signal.SIGKILL)

    def finish(self) -> None:
        """Let the program end by itself: nothing more comes. What it used of the processor is then
        counted as this process's children's.
        """
        self._told.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)

    def has_ended(self) -> bool:
        """Whether bwrap has ended, by itself or by somebody else's doing."""
        return self._process.poll() is not None

    def wait(self) -> int:
        """How bwrap ended. Nothing of the box runs any more then, and its last words have come."""
        code = self._process.wait()
        self.kill()  # bwrap alone may have been killed
        self._drainer.join()
        return code

    def _let_go(self) -> None:
        """Close the handle of process 1, which can be read once the whole pid namespace is gone."""
        with self._handling:
            handle = self._first_handle
            self._first_handle = None
        if handle is not None:
            gone = select.poll()
            gone.register(handle, select.POLLIN)
            gone.poll(_GONE_SECONDS * 1000)
            os.close(handle)

    def tell(self, frames: Iterable[bytes]) -> None:
        """Send `frames` behind everything that was sent before. Returns at once."""
        self._told.put(frames)

    def _feed(self) -> None:
        try:
            # A box that ended or was killed no longer reads.
            with contextlib.suppress(BrokenPipeError), self._stdin as stdin:
                frames: Iterable[bytes] | None = self._frames
                while frames is not None:
                    for frame in frames:
                        stdin.write(frame)
                    stdin.flush()
                    frames = self._told.get()
        except BaseException as error:  # whoever follows the box raises it again  # noqa: BLE001
            self.feed_error = error
            self.kill()

    def _drain(self) -> None:
        """Keep the last part of stderr and never let the box wait for us to read it."""
        while part := self._stderr_pipe.read1(1 << 16):
            self._stderr += part
            del self._stderr[:-_STDERR_BYTES]


def _pipes(process: subprocess.Popen) -> tuple[BinaryIO, BinaryIO, BufferedReader]:
    """The standard streams of a process that was started with pipes for all of them."""
    assert isinstance(process.stdin, BufferedWriter)
    assert isinstance(process.stdout, BufferedReader)
    assert isinstance(process.stderr, BufferedReader)
    return process.stdin, process.stdout, process.stderr


def _start(module: str, limits: Limits, uid: int | None) -> tuple[subprocess.Popen, BinaryIO]:
    """bwrap's process, and the reading end of the pipe on which it reports."""
    try:
        program = seccomp.program()
    except seccomp.UnsupportedMachine as error:
        raise SandboxUnavailable(str(error)) from None
    info_read, info_write = os.pipe()
    info = os.fdopen(info_read, "rb")
    try:
        filter_read, filter_write = os.pipe()
    except BaseException:
        info.close()
        os.close(info_write)
        raise
    try:
        os.write(filter_write, program)
        os.close(filter_write)
        # No preexec_fn, no chdir: many threads start boxes at once. A session of its own keeps
        # Ctrl-C for the coordinator.
        process = subprocess.Popen(
            launch.command(module, limits, uid, info_write, filter_read),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=launch.environment(),
            pass_fds=(info_write, filter_read),
            start_new_session=True,
        )
    except BaseException:
        info.close()
        raise
    finally:
        os.close(info_write)
        os.close(filter_read)
    return process, info

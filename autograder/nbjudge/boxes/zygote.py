"""The coordinator's side of the zygotes: processes beside the boxes that have imported, once, what
many boxes need (`inside.zygote`).

There is one for boxes in which student code runs, and one for those that check, because only the
latter may know what judges. They are started when a box first needs one, and end with the work that
needs them (`warmth`), or with this process. Whatever is wrong with one, the box that waits for it
imports by itself: it costs time, and no mark.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue

from nbjudge.boxes import launch
from nbjudge.boxes.errors import SandboxUnavailable
from nbjudge.boxes.inside.zygote import HERE
from nbjudge.boxes.limits import Limits

_START_SECONDS = 60.0
_END_SECONDS = 5.0
# What is forked from a template, by whether it judges.
_PROGRAMS = {False: "nbjudge.boxes.inside.kernel", True: "nbjudge.boxes.inside.checker"}
# One that fails so often is not started again: something in what it imports ends it.
_FAILURES = 4


class Loan:
    """A line between a box's process 1 and the fork of a zygote that is to come into the box. A
    context manager; it is the box's when the box has started, and the fork's when it is given.
    """

    def __init__(self, zygote: Zygote, modules: tuple[str, ...]):
        self._zygote, self._modules = zygote, modules
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The zygote may end before the box has started.
        shared = zygote.user_namespace
        self.user_namespace = None if shared is None else os.dup(shared)

    def __enter__(self) -> Loan:
        return self

    def __exit__(self, *_) -> None:
        self._ours.close()
        self._theirs.close()
        if self.user_namespace is not None:
            os.close(self.user_namespace)

    @property
    def door(self) -> int:
        """The descriptor that process 1 inherits."""
        return self._theirs.fileno()

    def give(self, box: int, uid: int | None, limits: Limits) -> None:
        """Send a fork to the box that has inherited the door; `box` is the handle of its process 1."""
        resources = launch.resource_limits(limits)
        self._theirs.close()
        order = {"modules": self._modules, "uid": uid, "resources": resources}
        self._zygote.tell(order, box, self._ours.fileno())
        self._ours.close()


class Zygote:
    """One of the two processes; many threads may share it."""

    def __init__(self, judging: bool):
        self._judging, self._lock = judging, threading.Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen | None = None
        self._handle: int | None = None
        self._failures = 0
        self.user_namespace: int | None = None

    def loan(self, modules: Iterable[str]) -> Loan | None:
        """For a box that is about to start; None when it has to do without."""
        with self._lock:
            if self._line is None and self._failures < _FAILURES:
                try:
                    self._start()
                except (OSError, SandboxUnavailable, ValueError, KeyError):
                    self._failures += 1
            if self._line is None:
                return None
            return Loan(self, (_PROGRAMS[self._judging], *modules))

    def tell(self, order: dict, *handles: int) -> None:
        """Send an order. When nobody is there any more, the next box has another one."""
        with self._lock:
            if self._line is not None:
                try:
                    socket.send_fds(self._line, [json.dumps(order).encode()], handles)
                except OSError:
                    self._failures += 1
                    self._stop()

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as undo:
            undo.callback(self._stop)
            self._line = ours
            with theirs:
                pid = self._launch(theirs.fileno())
            self._handle = os.pidfd_open(pid)
            ours.settimeout(_START_SECONDS)
            if ours.recv(len(HERE)) != HERE:
                raise OSError("it ended")
            ours.settimeout(None)
            if os.geteuid() != 0:
                self.user_namespace = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY)
            undo.pop_all()

    def _launch(self, line: int) -> int:
        """Start it; its pid."""
        reading, writing = os.pipe()
        with os.fdopen(reading) as info:
            started = SimpleQueue()
            threading.Thread(target=self._keep, args=(writing, line, started), daemon=True).start()
            self._process = started.get()
            if self._process is None:
                raise OSError("bubblewrap cannot be started")
            return json.loads(info.read())["child-pid"]

    def _keep(self, info: int, line: int, started: SimpleQueue) -> None:
        """Of a thread of its own, because bubblewrap and what it starts die with their parent
        thread.
        """
        process = None
        try:
            process = subprocess.Popen(
                launch.zygote_command(self._judging, info, line),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=launch.environment(),
                pass_fds=(info, line),
                start_new_session=True,
            )
        except (OSError, SandboxUnavailable):
            pass
        finally:
            os.close(info)
            started.put(process)
        if process is not None:
            process.wait()

    def _stop(self) -> None:
        """End it at once: it holds nothing but libraries."""
        if self._line is not None:
            self._line.close()
        if self._handle is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
            self._process.kill()
            self._process.wait()
        for descriptor in (self._handle, self.user_namespace):
            if descriptor is not None:
                os.close(descriptor)
        self._line = self._process = self._handle = self.user_namespace = None


_counting, _lasting = threading.Lock(), 0
_zygotes = {judging: Zygote(judging) for judging in (False, True)}


def of(module: str) -> Zygote:
    """The zygote for boxes that run this program."""
    return _zygotes[module in launch.JUDGING]


def close() -> None:
    """End both; they start again when they are needed."""
    for zygote in _zygotes.values():
        zygote.close()


@contextlib.contextmanager
def warmth() -> Iterator[None]:
    """As long as one such context lasts, the zygotes stay from box to box."""
    global _lasting
    with _counting:
        _lasting += 1
    try:
        yield
    finally:
        with _counting:
            _lasting -= 1
            is_last = _lasting == 0
        if is_last:
            close()


atexit.register(close)

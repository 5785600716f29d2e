"""The box's two pipes: frames in on stdin, frames out on what was stdout."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from typing import BinaryIO

from autograder import wire

# The harness decides how much goes in; this only keeps a broken header from asking for all memory.
MAX_INPUT = 4 << 30
# The exit status by which a program in a box says that the input asks for more memory than it has.
OUT_OF_MEMORY = 77
_PR_SET_DUMPABLE = 4


class Channel:
    """Opening it says `ready`: from then on, whatever goes wrong may be the fault of the input. Threads may share it.

    The process, and with it the box, ends when nobody reads the frames any more. It becomes unreadable for others of its user id
    (their way to its memory, file descriptors and environment would be `/proc`), and nothing else that it or its children print can
    reach the frames.
    """

    def __init__(self) -> None:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        # Process 1 ignores every signal that it has no handler for, SIGKILL too; Python handles SIGINT.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self._in: BinaryIO = os.fdopen(os.dup(0), "rb")
        self._out: BinaryIO = os.fdopen(os.dup(1), "wb")
        self._sending, self._asking = threading.Lock(), threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        sys.stdout = sys.stderr
        threading.Thread(target=self._die_with_reader, daemon=True).start()
        self.send("ready")

    def frames(self) -> Iterator[wire.Frame]:
        """All frames of the input. Raises wire.WireError."""
        return wire.read(self._in, MAX_INPUT)

    def send(self, kind: str, blobs: dict[str, bytes] | None = None, /, **header) -> None:
        data = wire.encode(kind, blobs, **header)
        with self._sending:
            self._out.write(data)
            self._out.flush()

    def ask(self, **header) -> wire.Frame | None:
        """Send one `ask` frame and wait for the reply to it; None when nobody replies. Only after the input's own frames were read."""
        with self._asking:
            self.send("ask", **header)
            return next(self.frames(), None)

    def _die_with_reader(self) -> None:
        watch = select.poll()
        watch.register(self._out.fileno(), 0)
        watch.poll()  # nothing is waited for but the error that a pipe without a reader has
        os._exit(1)

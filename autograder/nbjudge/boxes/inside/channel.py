"""The box's two pipes: frames in on stdin, frames out on what was stdout."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from nbjudge import wire
from nbjudge.boxes.inside import start

# The harness decides how much goes in; this only keeps a broken header from asking for all memory.
MAX_INPUT = 4 << 30
# The exit statuses by which a program in a box says that the input asks for more memory, or more
# processor time, than it has.
OUT_OF_MEMORY = 77
OUT_OF_TIME = 78
_PR_SET_DUMPABLE = 4


class Frames:
    """Frames in and out of two streams. Threads may share it."""

    def __init__(self, source: BinaryIO, target: BinaryIO):
        self._in = source
        self._out = target
        self._sending = threading.Lock()

    def frames(self) -> Iterator[wire.Frame]:
        """All frames of the input. Raises wire.WireError."""
        return wire.read(self._in, MAX_INPUT)

    def send(self, kind: str, blobs: Mapping[str, wire.Blob] | None = None, /, **header) -> None:
        with self._sending:
            for piece in wire.pieces(kind, blobs, **header):
                self._out.write(piece)
            self._out.flush()


class Channel(Frames):
    """Opening it says `ready`: from then on, whatever goes wrong may be the fault of the input.
    Threads may share it.

    The process becomes unreadable for others of its user id (their way to its memory, file
    descriptors and environment would be `/proc`), and nothing else that it or its children print
    can reach the frames. It ends when nobody reads these any more.
    """

    def __init__(self) -> None:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        # Process 1 ignores every signal that it has no handler for, SIGKILL too; Python handles
        # SIGINT.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        super().__init__(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
        self._asking = threading.Lock()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        sys.stdout = sys.stderr
        self._token: str | None = None
        start.watch(self._out.fileno())
        self.send("ready")

    def frames(self) -> Iterator[wire.Frame]:
        """All frames of the input but the one that begins a series. Raises wire.WireError."""
        for frame in super().frames():
            if frame.kind == "series":
                self._token = frame.header["token"]
            else:
                yield frame

    @property
    def is_series(self) -> bool:
        """Whether more jobs may come; known once a frame has been read."""
        return self._token is not None

    def free(self) -> bool:
        """Say that a job is over, nothing of it is left, and the next may come. False in a box that
        has one job only.

        The token proves that it is process 1 that says so: whoever it lets speak on its pipe does
        not have it.
        """
        if self.is_series:
            self.send("free", token=self._token)
        return self.is_series

    def ask(self, **header) -> wire.Frame | None:
        """Send one `ask` frame and wait for the reply to it; None when nobody replies. Only after
        the input's own frames were read.
        """
        with self._asking:
            self.send("ask", **header)
            return next(self.frames(), None)

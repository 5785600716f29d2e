"""A kernel's line to the servers of its cases, which stand outside the box: three numbers go out,
two come back.

Both ends are in the box. The kernel's is in the hands of student code, so whatever comes from there
may be forged; all that it can say is which question it asks of which case.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

_QUESTION = struct.Struct("<QIq")  # serial number, case, question
_REPLY = struct.Struct("<Q?q")  # serial number, whether there is a reply, the reply


class Line:
    """The kernel's end, on a descriptor that it inherited. Threads may share it."""

    def __init__(self, handle: int):
        self._socket = socket.socket(fileno=handle)
        self._socket.set_inheritable(False)
        self._lock = threading.Lock()
        self._serial = 0

    def ask(self, case: int, question: int) -> int | None:
        """The reply of the case's server, or None when it answers no more. Raises ConnectionError
        when the line is cut.
        """
        with self._lock:
            self._serial += 1
            self._socket.send(_QUESTION.pack(self._serial, case, question))
            while len(data := self._socket.recv(_REPLY.size)) == _REPLY.size:
                serial, answered, reply = _REPLY.unpack(data)
                # A reply that nobody waited for any more, because the time of its case was over,
                # may come first.
                if serial == self._serial:
                    return reply if answered else None
            raise ConnectionError("the line to the case's server is cut")


class Relay:
    """The supervisor's end: a thread that answers with `reply(case, question)` until the other end
    is gone, or sends nonsense.

    As a context manager it gives the descriptor that the kernel is to inherit, and closes its own
    copy of it.
    """

    def __init__(self, reply: Callable[[int, int], int | None]):
        self._reply = reply
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def __enter__(self) -> int:
        return self._theirs.fileno()

    def __exit__(self, *_) -> None:
        self._theirs.close()
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        with contextlib.suppress(OSError), self._ours:
            # One byte more than a question shows a longer message as one.
            while len(data := self._ours.recv(_QUESTION.size + 1)) == _QUESTION.size:
                serial, case, question = _QUESTION.unpack(data)
                reply = self._reply(case, question)
                self._ours.send(_REPLY.pack(serial, reply is not None, reply or 0))

"""The supervisor's side of one kernel: its process, and messages from it that are never trusted.

The kernel's key is readable by the student's code, so any message may be forged, malformed, huge or
late. What comes out of here is a well-formed dictionary of bounded size, or nothing.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import zmq
from jupyter_client import BlockingKernelClient, write_connection_file

from nbjudge.boxes.inside.line import Relay
from nbjudge.boxes.inside.template import Template, TemplateLost, reap
from nbjudge.boxes.inside.workdir import WORK

# A socket holds at most their product; libzmq cuts the connection on a longer message, and it has
# to be made again.
_MESSAGE_BYTES = 64 << 20
_QUEUED_MESSAGES = 8
# What is longer is dropped unparsed.
_PARSED_BYTES = 8 << 20
PROGRAM = "nbjudge.boxes.inside.kernel"
_EXITING = 4  # the flag of a process that ends, in /proc
_ASK_AGAIN_SECONDS = 1.0


class KernelDied(RuntimeError):
    """The kernel did not come up."""


class KernelSilent(KernelDied):
    """It runs, and says nothing; it has been ended."""


class _Client(BlockingKernelClient):
    def _create_connected_socket(self, channel: str, identity: bytes | None = None) -> zmq.Socket:
        # The limits hold for connections made after they are set, and the base class connects at
        # once.
        sock = super()._create_connected_socket(channel, identity)
        sock.maxmsgsize = _MESSAGE_BYTES
        sock.rcvhwm = _QUEUED_MESSAGES
        sock.linger = 0
        reconnect(sock)
        return sock


def reconnect(sock: zmq.Socket) -> None:
    address = sock.get_string(zmq.LAST_ENDPOINT)
    with contextlib.suppress(zmq.ZMQError):  # a connection that was cut is no longer known
        sock.disconnect(address)
    sock.connect(address)


def _connection_file(folder: Path) -> str:
    """A file that says where the kernel listens, and its key; the kernel reads it too."""
    path = str(folder / "connection.json")
    key = os.urandom(16).hex().encode()
    write_connection_file(path, transport="ipc", ip=str(folder / "socket"), key=key)
    return path


def _connected(connection: str) -> _Client:
    client = _Client(connection_file=connection, context=zmq.Context())
    client.load_connection_file()
    client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=False)
    return client


class Kernel:
    """A kernel forked from `template`. `folder` is private to it: connection file, sockets,
    IPython's own directory.

    `lost_messages` becomes True when a message was too long to be taken. `reply` answers what the
    kernel asks on its line. `offline`: it gets no sockets but unix ones.

    Raises KernelDied when it is not ready after `ready_seconds`, and OSError when no process can be
    started.
    """

    def __init__(
        self,
        template: Template,
        folder: Path,
        cases: Path,
        *,
        environment: dict[str, str],
        ready_seconds: float,
        reply: Callable[[int, int], int | None],
        offline: bool = False,
    ):
        self._template = template
        connection = _connection_file(folder)
        own = {"IPYTHONDIR": str(folder / "ipython"), **environment}
        with Relay(reply) as line:
            self.pid = template.spawn(
                PROGRAM, line, own, str(WORK), offline, connection=connection, cases=str(cases)
            )
        self._status: int | None = None
        self._client = _connected(connection)
        self._sockets = {
            self._client.shell_channel.socket: "shell",
            self._client.iopub_channel.socket: "iopub",
        }
        self._poller = zmq.Poller()
        self._monitors = {
            sock.get_monitor_socket(zmq.EVENT_DISCONNECTED): sock for sock in self._sockets
        }
        for sock in (*self._sockets, *self._monitors):
            self._poller.register(sock, zmq.POLLIN)
        self.lost_messages = False
        self.is_deaf = False  # it has once not said that a cell was over
        self._wait_ready(time.monotonic() + ready_seconds)

    def alive(self) -> bool:
        """Whether the kernel's process runs. Reaps the box's orphans: process 1 inherits them."""
        for pid, status, _ in reap():
            if pid == self.pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status is None

    def killed(self) -> bool:
        """Whether the kernel's process, which has ended, was killed."""
        return self._status == -signal.SIGKILL

    def execute(self, source: str, expression: str | None = None) -> str:
        """Send the source; the id that its replies will carry. `input()` in it raises at once.

        `expression` is evaluated afterwards, beside IPython's input transformers, which student
        code may have changed.
        """
        asked = {"value": expression} if expression else {}
        return self._client.execute(
            source,
            store_history=True,
            allow_stdin=False,
            stop_on_error=False,
            user_expressions=asked,
        )

    def probe(self) -> str:
        """Ask a question that the kernel answers after what it is doing now; the id that the reply
        will carry.
        """
        return self._client.kernel_info()

    def messages(self, seconds: float) -> Iterator[tuple[str, dict]]:
        """Messages that have arrived, waiting up to `seconds` for the first: ("shell" or "iopub",
        message).
        """
        for sock, _ in self._poller.poll(int(seconds * 1000)):
            parts = sock.recv_multipart()
            if sock in self._monitors:
                if not self._is_ending():
                    self.lost_messages = True
                    reconnect(self._monitors[sock])
                continue
            if sum(map(len, parts)) > _PARSED_BYTES:
                self.lost_messages = True
                continue
            if (message := self._parsed(parts)) is not None:
                yield self._sockets[sock], message

    def _parsed(self, parts: list[bytes]) -> dict | None:
        """The message, if it is a well-formed one."""
        try:
            _, parts = self._client.session.feed_identities(parts)
            message = self._client.session.deserialize(parts)
        except Exception:  # whatever a forged message breaks in the parser, it is no message  # noqa: BLE001
            return None
        return message if _is_well_formed(message) else None

    def interrupt(self) -> None:
        if self.alive():
            os.kill(self.pid, signal.SIGINT)

    def kill(self) -> None:
        """End the kernel and every other process of the box, the template left out."""
        try:
            self._template.sweep()
        except TemplateLost:  # the next kernel will say so
            end_everything()
        for sock in self._sockets:
            sock.disable_monitor()
        self._client.stop_channels()
        self._client.context.destroy(linger=0)

    def _is_ending(self) -> bool:
        """Whether the kernel's process is about to end: a dying one loses its connections too, and
        the system says that it dies before it closes them.
        """
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                state, *fields = file.read().rsplit(b")", 1)[1].split()
        except OSError:
            return True
        return state in (b"Z", b"X") or bool(int(fields[5]) & _EXITING)

    def _wait_ready(self, deadline: float) -> None:
        """Until the kernel has answered, and its output channel has been heard once.

        It is asked again only now and then: each question brings messages, and if each message
        brought a question, two threads of ipykernel would wait for one another for ever as soon as
        the queues between them are full.
        """
        heard: set[str] = set()
        asked = -math.inf
        while heard != {"shell", "iopub"}:
            if not self.alive():
                raise KernelDied(f"the kernel ended with status {self._status}")
            if time.monotonic() > deadline:
                self.kill()
                raise KernelSilent("the kernel did not answer in time")
            if time.monotonic() > asked + _ASK_AGAIN_SECONDS:
                self.probe()
                asked = time.monotonic()
            for channel, _ in self.messages(0.2):
                heard.add(channel)


def end_everything() -> None:
    """Kill every process of the box but process 1, which calls this, and reap them."""
    if os.getpid() != 1:
        raise RuntimeError("only process 1 of a box may end everything around it")
    while True:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _is_well_formed(message: object) -> bool:
    return (
        isinstance(message, dict)
        and isinstance(message.get("msg_type"), str)
        and isinstance(message.get("content"), dict)
        and isinstance(message.get("parent_header"), dict)
        and isinstance(message["parent_header"].get("msg_id", ""), str)
    )

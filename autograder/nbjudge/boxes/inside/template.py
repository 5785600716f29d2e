"""Process 1's side of a box's template: the process that has imported what the box's programs need,
and that is forked for each of them (`template_process`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Iterable, Mapping

from nbjudge.boxes.inside import start, template_process

_SWEEP_SECONDS = 60.0
_IMPORT_SECONDS = 300.0


class TemplateLost(OSError):
    """The template is gone, or does not answer."""


class Template:
    """Process 1's side, which reaps what ends."""

    def __init__(self) -> None:
        if os.getpid() != 1:
            raise RuntimeError(
                "a template ends every process around it: only process 1 of a box may have one"
            )
        self._loaded: set[str] = set()
        self._is_bare = False
        self._fork()

    def _fork(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start.unwatch()  # a process with a second thread is not forked; the channel watches again
        self.pid = os.fork()
        if self.pid == 0:
            template_process.begin(theirs.detach())
        theirs.close()

    def load(self, modules: Iterable[str]) -> None:
        """Import those modules and exercises that are there, nothing else. Raises TemplateLost."""
        wanted = [name for name in dict.fromkeys(modules) if name not in self._loaded]
        if wanted and not self._is_bare:
            self._is_bare = self._ask(_IMPORT_SECONDS, do="load", modules=wanted)["unfit"] != ""
            self._loaded |= set(wanted)

    def spawn(
        self,
        module: str,
        handle: int,
        environment: Mapping[str, str],
        folder: str,
        offline: bool,
        **arguments,
    ) -> int:
        """The pid of a new process that runs `main(handle, **arguments)` of a module. Raises
        OSError when there is none.
        """
        answer = self._ask(
            _SWEEP_SECONDS,
            (handle,),
            do="spawn",
            module=module,
            environment=dict(environment),
            folder=folder,
            offline=offline,
            arguments=arguments,
        )
        if "error" in answer:
            raise OSError(answer["error"])
        return answer["pid"]

    def sweep(self) -> None:
        """End every process of the box but this one and the template. Raises TemplateLost."""
        self._ask(_SWEEP_SECONDS, do="sweep")

    def close(self) -> None:
        """Let it end, and wait for that: only then is it known what it has used of the processor."""
        self._socket.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _ask(self, seconds: float, handles: tuple[int, ...] = (), **order) -> dict:
        deadline = time.monotonic() + seconds
        try:
            socket.send_fds(self._socket, [json.dumps(order).encode()], handles)
            while not select.select(
                [self._socket], [], [], 0.002 if order["do"] == "sweep" else 0.2
            )[0]:
                if order["do"] == "sweep":
                    reap()
                if time.monotonic() > deadline:
                    raise TemplateLost("the process that kernels are forked from does not answer")
            answer = self._socket.recv(template_process.MESSAGE)
        except TemplateLost:
            raise
        except OSError as error:
            raise TemplateLost(
                f"the process that kernels are forked from is gone: {error}"
            ) from None
        if not answer:
            raise TemplateLost("the process that kernels are forked from is gone")
        return json.loads(answer)


def reap() -> list[tuple[int, int, float]]:
    """The pid, the status and the processor time of every child that has ended; process 1 inherits
    those whose parents are gone.
    """
    ended = []
    with contextlib.suppress(ChildProcessError):
        while (found := os.wait4(-1, os.WNOHANG))[0]:
            pid, status, used = found
            ended.append((pid, status, used.ru_utime + used.ru_stime))
    return ended

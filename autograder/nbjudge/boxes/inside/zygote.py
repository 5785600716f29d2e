"""A process beside the boxes, which has imported what many of them need. A box that starts gets a
fork of it as its template (`template`), and imports nothing.

In: `{"modules": [...], "uid": null or the box's user id, "resources": {...}}` with two descriptors:
the handle of the box's process 1, and a line to it. Out: `here`, once.

It sees the files that a box sees, and never a byte of a student's: all that it is told is what to
import, and which box is waiting. As in a template, an import after which it could not be forked
safely is undone: it starts anew, without that one.

bubblewrap has made the box, with all its walls. A fork of this process goes in through the handle,
and before it says that it is there it has no more rights than process 1, which looks for itself
before it believes it (`template`). From then on nothing differs from a template that process 1 has
forked: it is process 1's child, and in the box alone.

It ends when nobody holds the other end of its line any more.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import socket
import sys
import time

from nbjudge import exercises
from nbjudge.boxes import mounts, seccomp
from nbjudge.boxes.inside import confinement, template_process
from nbjudge.boxes.inside.template import COME_IN, KNOCK

HERE = b"here"


def main(line: socket.socket, refused: list[str]) -> None:
    confinement.dumpable(False)
    exercises.use(exercises.IN_BOX)
    sys.dont_write_bytecode = True
    loaded: dict[str, None] = {}
    while True:
        data, handles, _, _ = socket.recv_fds(line, template_process.MESSAGE, 2)
        if not data:
            return
        order = json.loads(data)
        names = [name for name in order["modules"] if name not in (*loaded, *refused)]
        if culprit := _load(names, loaded, {line.fileno(), *handles}):
            _start_anew(line, [*refused, culprit])
        _lend(line, *handles, list(loaded), order)
        for handle in handles:
            os.close(handle)
        _reap()


def _load(names: list[str], loaded: dict[str, None], own: set[int]) -> str | None:
    """Import what can be imported; the first name after which this process cannot be forked."""
    if not names:
        return None
    gc.disable()  # imports make many objects, and hardly any garbage
    for name in names:
        template_process.bring_in(name)
        if template_process.unfit(own):
            gc.collect()  # garbage may hold a file open
            if template_process.unfit(own):
                return name
        loaded[name] = None
    gc.freeze()  # what stays is not looked at again, so its pages stay shared
    gc.enable()
    return None


def _start_anew(line: socket.socket, refused: list[str]) -> None:
    """Without what was imported; the box that waits imports by itself."""
    os.set_inheritable(line.fileno(), True)
    program = [sys.executable, "-I", "-B", "-X", "utf8", "-m", __spec__.name]
    os.execv(sys.executable, [*program, str(line.fileno()), json.dumps(refused)])


def _lend(line: socket.socket, box: int, door: int, loaded: list[str], order: dict) -> None:
    """Send a fork into the box. It waits at the door, and keeps no other box waiting."""
    if os.fork() == 0:
        with contextlib.suppress(BaseException):
            line.close()
            _go_in(box, socket.socket(fileno=door), loaded, **order)
        os._exit(1)


def _go_in(
    box: int,
    door: socket.socket,
    loaded: list[str],
    modules: list[str],
    uid: int | None,
    resources: dict[str, int],
) -> None:
    # Process 1 answers when it is at work: the box's namespaces and mounts are made then.
    door.send(KNOCK)
    data, handles, _, _ = socket.recv_fds(door, len(COME_IN), 1)
    if data != COME_IN:
        return
    confinement.enter(box, with_user=uid is None)
    # A process is in a PID namespace by birth. Whose parent there ends is process 1's child.
    if between := os.fork():
        os.waitpid(between, 0)
    elif not os.fork():
        while os.getppid() != 1:
            time.sleep(0.0005)
        os.dup2(handles[0], 2)
        os.chdir(mounts.SCRATCH)
        confinement.give_up_privileges(uid)
        confinement.limit(resources)
        confinement.install(seccomp.program())
        template_process.begin(door.detach(), loaded)
    os._exit(0)


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    to_coordinator = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(to_coordinator.fileno(), False)
    if len(sys.argv) == 2:
        os.makedirs(os.environ["HOME"], mode=0o700, exist_ok=True)
        to_coordinator.send(HERE)
    main(to_coordinator, json.loads(sys.argv[2]) if len(sys.argv) > 2 else [])

"""A process that has imported what a box's programs need, once, and is forked for each of them.

Process 1 makes it before it has read anything, so its memory holds nothing but libraries. It imports
modules that the coordinator names, and only while nothing else runs in the box. It runs no operator,
holds no session and has one thread; an import that leaves it otherwise is undone by starting it
anew, without imports.

What is forked from it runs student code, or native code on hostile bytes, as the same user. It
cannot reach the template: a filter refuses every call that would signal it or change how it runs
(`seccomp.shield`), its memory is not readable (it is not dumpable), pages are copied when they are
written, and no descriptor of it is left open. Its descendants are children of process 1, which
hears how they end.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable

from nbjudge import exercises
from nbjudge.boxes import seccomp
from nbjudge.boxes.inside import confinement
from nbjudge.boxes.limits import FILES_OF_OTHERS

MESSAGE = 1 << 18
NO_PROCESS = "no process can be started: Resource temporarily unavailable"


def begin(handle: int) -> None:
    """What the new process does, for ever."""
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        for each in map(int, os.listdir("/proc/self/fd")):
            if each > 2 and each != handle:
                with contextlib.suppress(OSError):
                    os.close(each)
        os.setsid()
        sys.dont_write_bytecode = True  # nothing appears beside a notebook's own modules
        confinement.dumpable(False)
        _serve(socket.socket(fileno=handle))
    except BaseException as error:  # nothing may leave a forked process but by its end  # noqa: BLE001
        print(f"the template ended: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(1)


def _serve(line: socket.socket) -> None:
    orders: dict[str, Callable[..., dict]] = {"load": _load, "spawn": _spawn, "sweep": _sweep}
    while True:
        data, handles, _, _ = socket.recv_fds(line, MESSAGE, 4)
        if not data:
            return
        order = json.loads(data)
        what = order.pop("do")
        answer = orders[what](line, handles, **order)
        for handle in handles:
            os.close(handle)
        line.send(json.dumps(answer).encode())
        if answer.get("unfit"):
            os.set_inheritable(line.fileno(), True)
            program = [
                sys.executable,
                "-I",
                "-B",
                "-X",
                "utf8",
                "-m",
                __name__ if __name__ != "__main__" else __spec__.name,
            ]
            os.execv(sys.executable, [*program, str(line.fileno())])


def _load(line: socket.socket, _handles: list[int], modules: list[str]) -> dict:
    gc.disable()  # imports make many objects, and hardly any garbage
    for name in modules:
        bring_in(name)
    own = {line.fileno()}
    if unfit(own):
        gc.collect()  # garbage may hold a file open
    gc.freeze()  # what stays is not looked at again, so its pages stay shared
    gc.enable()
    return {"unfit": unfit(own)}


def bring_in(name: str) -> None:
    """Import a module; or, as `exercise:ID` and `judge:ID`, what an exercise asks, prepared, and what
    judges it. The notebook that needs it says what is wrong with it.
    """
    with contextlib.suppress(Exception):
        _import(name)


def _import(name: str) -> None:
    kind, _, exercise_id = name.rpartition(":")
    if not kind:
        importlib.import_module(name)
    elif kind == "judge":
        exercises.get(exercise_id).rungs  # noqa: B018
    else:
        exercises.get(exercise_id).prepare()


def unfit(own: set[int]) -> str:
    """Why this process cannot be forked safely: a second thread, memory that children would share,
    a descriptor. Empty when it can.
    """
    if (threads := len(os.listdir("/proc/self/task"))) != 1:
        return f"{threads} threads"
    with open("/proc/self/maps") as file:
        maps = [line.split() for line in file]
    if shared := [each[-1] for each in maps if each[1].startswith("rw") and each[1].endswith("s")]:
        return f"shared memory: {shared[0]}"
    handles = {int(name) for name in os.listdir("/proc/self/fd")} - own - {0, 1, 2}
    opened = sum(os.path.exists(f"/proc/self/fd/{handle}") for handle in handles)
    return f"{opened} open files" if opened else ""


def _spawn(line: socket.socket, handles: list[int], **order) -> dict:
    """Fork twice: the process between ends at once, so that the new one is a child of process 1."""
    reading, writing = os.pipe()
    try:
        between = os.fork()
        if between == 0:
            _between(line, reading, writing, handles, order)
        os.close(writing)
        writing = -1
        packed = os.read(reading, 8)
        os.waitpid(between, 0)
    except OSError as error:
        return {"error": f"no process can be started: {error}"}
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    return {"pid": struct.unpack("<Q", packed)[0]} if len(packed) == 8 else {"error": NO_PROCESS}


def _between(
    line: socket.socket, reading: int, writing: int, handles: list[int], order: dict
) -> None:
    template = os.getppid()
    try:
        if pid := os.fork():
            os.write(writing, struct.pack("<Q", pid))
            os._exit(0)
    except OSError:
        os._exit(1)
    try:
        for handle in (line.detach(), reading, writing):
            os.close(handle)
        _become(template, handles, **order)
    except BaseException:  # nothing may leave a forked process but by its end  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _become(
    template: int,
    handles: list[int],
    *,
    module: str,
    environment: dict,
    folder: str,
    offline: bool,
    arguments: dict,
) -> None:
    """From the template's copy to a process of its own."""
    os.setsid()
    os.chdir(folder)
    os.environ.update(environment)
    program = importlib.import_module(module)
    confinement.dumpable(True)
    confinement.install(seccomp.shield(template, offline))
    _reseed()
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES_OF_OTHERS, FILES_OF_OTHERS))
    program.main(handles[0], **arguments)


def _reseed() -> None:
    """Two children must not draw the same numbers; what is always seeded alike stays so: torch."""
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()


def _sweep(_line: socket.socket, _handles: list[int]) -> dict:
    """A signal to all spares who sends it, and process 1. It is sent until nobody is there to get
    it.
    """
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return {}
        time.sleep(0.001)


if __name__ == "__main__":
    exercises.use(exercises.IN_BOX)
    confinement.dumpable(False)
    _serve(socket.socket(fileno=int(sys.argv[1])))

"""Work that may end the process that does it, in a process that can be spared.

ONNX Runtime is a program in C++: a fault in one of its kernels or graph optimizations is no
exception, it ends the process without a word. What is tried here first costs only the process
that tried it, and the reason comes back in words.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from formatlab.measure.errors import CannotBench, first_line

# What the system's signals usually mean, by name.
MEANINGS = {
    "SIGSEGV": "it read or wrote memory that is not its own",
    "SIGBUS": "it read or wrote memory that is not there",
    "SIGABRT": "it gave up on itself",
    "SIGILL": "it met an instruction that this processor lacks",
    "SIGFPE": "it divided an integer by zero",
    "SIGKILL": "the system ended it, most often because memory had run out",
}


class Died(CannotBench):
    """The process ended before it had an answer. `how` says by what, in words."""

    def __init__(self, how: str):
        super().__init__(how)
        self.how = how


class Spare:
    """A second process that calls functions, one after another, and may be lost with each.

    It starts with the first call, and anew after it was lost. Functions, arguments and results
    have to be picklable; functions are those of modules. Use it in a `with` statement.
    """

    def __init__(self) -> None:
        self._process: multiprocessing.process.BaseProcess | None = None
        self._line: multiprocessing.connection.Connection | None = None
        self._used = False

    def __enter__(self) -> Spare:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._end()

    def call(self, function: Callable, *arguments: object):
        """What `function` returns, or raises; anything but CannotBench is raised as one. Raises
        Died where it ended the process.

        A process that has served before may die of what an earlier call has left in its memory, so
        the call is made once more in a fresh one, which has nothing else to die of.
        """
        used = self._used
        try:
            return self._call(function, arguments)
        except Died:
            if not used:
                raise
            return self._call(function, arguments)

    def _call(self, function: Callable, arguments: tuple):
        line = self._line or self._start()
        self._used = True
        try:
            line.send((function, arguments))
            succeeded, value = line.recv()
        except (EOFError, OSError):
            raise Died(self._end()) from None
        if succeeded:
            return value
        raise value

    def _start(self) -> multiprocessing.connection.Connection:
        context = multiprocessing.get_context("spawn")
        line, theirs = context.Pipe()
        self._line = line
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()  # so that its end is seen here
        return line

    def _end(self) -> str:
        """In words, how it ended."""
        assert self._line is not None and self._process is not None
        self._line.close()
        self._process.join()
        code = self._process.exitcode or 0
        self._process = None
        self._line = None
        self._used = False
        return _in_words(code)


def in_a_new_process(function: Callable, *arguments: object):
    """What `function` returns in a new process, which shares nothing with this one. Raises Died."""
    with Spare() as process:
        return process.call(function, *arguments)


def _in_words(code: int) -> str:
    if code >= 0:
        return f"it ended with status {code} in the middle of its work"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    meaning = MEANINGS.get(name)
    return f"{name}: {meaning}" if meaning else name


def _serve(line) -> None:
    """Until the other side closes the line."""
    _silence()
    while True:
        try:
            function, arguments = line.recv()
        except EOFError:
            return
        line.send(_answer(function, arguments))


def _answer(function: Callable, arguments: tuple) -> tuple[bool, object]:
    try:
        return True, function(*arguments)
    except CannotBench as problem:
        return False, problem
    except Exception as problem:  # libraries' types need not be picklable  # noqa: BLE001
        return False, CannotBench(f"{type(problem).__name__}: {first_line(problem)}")


def _silence() -> None:
    """What a dying runtime prints would stand in the middle of the table, and the image of its
    memory in the user's folder.
    """
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    with suppress(ImportError):  # Windows has none, and writes no such image
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

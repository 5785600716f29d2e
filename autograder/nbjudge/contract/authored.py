"""Code that the author of an exercise wrote: what goes wrong in it is told with its file and line."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from nbjudge.contract.cases import Server

# A file of an exercise, wherever the folder of exercises lies.
_OWN = re.compile(r".*[/\\](exercises[/\\][a-z][a-z0-9_]*[/\\].+)")
NOT_YOURS = "The exercise is wrong, not your answer: tell its author."


class ExerciseBroken(RuntimeError):
    """An exercise's own code is wrong. The text says where, and why."""

    def _render_traceback_(self) -> list[str]:
        return [f"ExerciseBroken: {self}. {NOT_YOURS}"]


@contextmanager
def authored(during: str = "", home: str = "") -> Iterator[None]:
    """Run code of an exercise, `during` a rung and a case. Raises ExerciseBroken for whatever it
    raises, but for a lack of memory; with `home` as the place where no line is an exercise's own.
    """
    try:
        yield
    except (ExerciseBroken, MemoryError):
        raise
    except Exception as error:
        told = f"{_place(error, home)}: {type(error).__name__}: {_said(error)}"
        raise ExerciseBroken(f"{told} ({during})" if during else told) from error


class AuthoredServer(Server):
    """A case's server, whose own exceptions are not those of the code that asks it."""

    def __init__(self, server: Server, case: str):
        self._server = server
        self._case = case

    def reply(self, question: int) -> int | None:
        with authored(f"the server of case {self._case}"):
            return self._server.reply(question)

    def log(self) -> dict[str, bytes]:
        with authored(f"the server of case {self._case}"):
            return self._server.log()


def imported(name: str) -> ModuleType:
    """A module of an exercise. Raises ModuleNotFoundError where there is none, and ExerciseBroken."""
    with authored():
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise
            missing = error
    raise missing


def defined(name: str, what: str) -> Any:
    """What a module of an exercise has to define. Raises as `imported`."""
    module = imported(name)
    if not hasattr(module, what):
        raise ExerciseBroken(f"{_shown(module.__file__)} defines no {what}")
    return getattr(module, what)


def _place(error: Exception, home: str) -> str:
    """The innermost line that is an exercise's own, if there is one."""
    if isinstance(error, SyntaxError):
        return f"{_shown(error.filename)}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = (each for each in reversed(frames) if _OWN.fullmatch(each.filename))
    frame = next(own, None)
    if frame is None and home:
        return home
    frame = frame or frames[-1]
    within = "" if frame.name == "<module>" else f", in {frame.name}"
    return f"{_shown(frame.filename)}, line {frame.lineno}{within}"


def _shown(path: str | None) -> str:
    """A path from the folder of exercises on: a box has that folder elsewhere."""
    own = _OWN.fullmatch(str(path))
    return own[1] if own else str(path)


def _said(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)

"""The modules of an exercise: whoever wrote one that cannot be imported reads which line it is."""

from __future__ import annotations

import traceback
from importlib import import_module
from types import ModuleType


class ExerciseBroken(RuntimeError):
    """An exercise's own code cannot be imported. The text says where, and why."""


def imported(name: str) -> ModuleType:
    """A module of an exercise. Raises ModuleNotFoundError where there is none, and ExerciseBroken."""
    try:
        return import_module(name)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise
        raise ExerciseBroken(f"{_place(error)}: {type(error).__name__}: {_said(error)}") from error


def defined(name: str, what: str) -> object:
    """What a module of an exercise has to define. Raises as `imported`."""
    module = imported(name)
    if not hasattr(module, what):
        raise ExerciseBroken(f"{module.__file__} defines no {what}")
    return getattr(module, what)


def _place(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}"


def _said(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)

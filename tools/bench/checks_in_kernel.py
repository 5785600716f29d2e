"""Within a kernel: `check`, and a line in a file for each call of it."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable

import nbjudge
from nbjudge import checking


def begin(path: str) -> None:
    """From now on each call of `check` adds its exercise, the seconds of the functions that it was
    given, and its own beyond those, to the file at `path`.
    """
    real = checking.check

    @functools.wraps(real)
    def check(exercise_id: str, *functions: Callable, **told) -> None:
        own = []
        began = time.perf_counter()
        try:
            real(exercise_id, *(_timed(each, own) for each in functions), **told)
        finally:
            whole = time.perf_counter() - began
            with open(path, "a", encoding="utf-8") as log:
                log.write(json.dumps([exercise_id, sum(own), whole - sum(own)]) + "\n")

    checking.check = nbjudge.check = check


def _timed(function: Callable, own: list[float]) -> Callable:
    @functools.wraps(function)
    def called(*given, **named):
        began = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            own.append(time.perf_counter() - began)

    return called

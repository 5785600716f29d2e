"""Put one case to a student's functions, and turn whatever happens into an `Answer`."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from nbjudge.contract import Answer, Case, Exercise, WrongType
from nbjudge.contract.authored import ExerciseBroken

ERROR_LIMIT = 400
MAX_CAUSES = 4
# What torch's exporters append to a message: from the first on nothing is for the reader, the
# others are lines to skip.
DUMPS = (
    "Developer debug context",
    "from user code",
    "Exported program:",
    "Arguments to user function",
    "(Refer to the full stack trace",
)
ASIDES = (
    'File "',
    "Set TORCH",
    "For more details",
    "Hint: Please open an issue",
    "Hint: Your code may result in an error when running in eager",
    "Hint: Consider using the debug context",
    "%",
    "Higher Order Op",
    "RuntimeError when making fake tensor call",
)
# Where torch.export quotes the exception behind its own: `…: got RuntimeError("…")`.
QUOTED = re.compile(r"Explanation: .*: got \w+\(([\"'])(?P<reason>.+)\1\)")
# The end of an object's repr, which differs from call to call and tells a reader nothing.
ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}\b", re.IGNORECASE)


def ask(
    exercise: Exercise,
    functions: Mapping[str, Callable[..., Any]],
    case: Case,
    scratch: Path,
    *,
    passing: tuple[type[BaseException], ...] = (KeyboardInterrupt,),
    line: Callable[[int], int | None] | None = None,
) -> Answer:
    """Call `functions` on one case, with `scratch` (an empty folder) for files.

    The answer's outcome is `returned`, `missing`, `raised` or `wrong_type`; deadlines and dead
    processes are the caller's to notice. `error` is `{"type", "text", "line"}` for `raised` (`line`
    is the student's own line that failed, or empty) and `{"expected", "found"}` for `wrong_type`.
    Exceptions of the types in `passing` are not the student's: they pass through. `line` leads to
    the case's server; without it a case that needs one is served here, and the answer holds the
    server's log.
    """
    if not all(callable(functions.get(name)) for name in exercise.functions):
        return Answer("missing")
    server = exercise.server(case) if line is None else None
    served = replace(case, ask=server.reply if server else line)
    passing = (*passing, ExerciseBroken) if server else passing
    try:
        files = exercise.call(functions, served, scratch)
        return Answer("returned", {**files, **server.log()} if server else files)
    except passing:
        raise
    except WrongType as error:
        types = {name: _said(error, name) for name in ("expected", "found")}
        return Answer("wrong_type", error=types)
    except BaseException as error:  # a student may raise anything, and end with anything  # noqa: BLE001
        return raised(error, functions, scratch)


def raised(
    error: BaseException, functions: Mapping[str, Callable[..., Any]], scratch: Path
) -> Answer:
    """Return the answer of a call that ended with `error`: `raised`, or `missing` for the stub's
    own. An exercise in which an exception may be the right answer reports it in its files, always:
    what it is worth is said by the judge.
    """
    outcome = "missing" if _is_stub(error, functions) else "raised"
    described = {
        "type": type(error).__name__[:ERROR_LIMIT],
        "text": _text(error, scratch),
        "line": _line(error.__traceback__, functions),
    }
    return Answer(outcome, error=described)


def _said(error: WrongType, name: str) -> str:
    """What it says, as text: student code may raise one of its own."""
    value = getattr(error, name, "")
    return value[:ERROR_LIMIT] if isinstance(value, str) else ""


def observed(
    exercise: Exercise, functions: Mapping[str, Callable[..., Any]], case: Case, scratch: Path
) -> Answer:
    """`ask`, and what the judge observes of the answer: for a process in which both may happen,
    such as a student's own JupyterLab.
    """
    return exercise.observe(case, ask(exercise, functions, case, scratch))


def _is_stub(error: BaseException, functions: Mapping[str, Callable[..., Any]]) -> bool:
    """Whether one of the functions itself, and not something that it called, says that it is not
    implemented.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    codes = [getattr(function, "__code__", None) for function in functions.values()]
    return (
        isinstance(error, NotImplementedError)
        and traceback is not None
        and traceback.tb_frame.f_code in codes
    )


def _text(error: BaseException, scratch: Path) -> str:
    """What an exception says, and what the one behind it says, without a library's inner state, and
    without what is another text in every call: addresses, and the folder for files.

    Exporters raise one that ends where the reason would begin: it stands in the exception that
    caused theirs.
    """
    said = []
    for each in _chain(error):
        with contextlib.suppress(Exception):
            text = ADDRESS.sub("at 0x…", str(each).replace(f"{scratch}{os.sep}", ""))
            said += [line for line in _reason(text) if line not in said]
    return _ends(" ".join(said) or ("(its text cannot be shown)" if _is_mute(error) else ""))


def _ends(text: str) -> str:
    """Of a long text the beginning and the end."""
    half = ERROR_LIMIT // 2
    return text if len(text) <= ERROR_LIMIT else f"{text[:half]} … {text[3 - half :]}"


def _is_mute(error: BaseException) -> bool:
    try:
        str(error)
    except Exception:  # a student's own __str__ may raise anything  # noqa: BLE001
        return True
    return False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(MAX_CAUSES):
        if error is not None:
            yield error
            error = error.__cause__


def _reason(text: str) -> Iterator[str]:
    """The lines of a message that say something: no dump of a graph, no place in a file, no advice
    on switches for debugging.
    """
    for line in map(str.strip, text.splitlines()):
        if line.startswith(DUMPS):
            return
        if line and not line.startswith(ASIDES):
            quoted = QUOTED.fullmatch(line)
            yield quoted["reason"] if quoted else line


def _line(traceback: TracebackType | None, functions: Mapping[str, Callable[..., Any]]) -> str:
    """The source of the innermost line that stands in the same file (or cell) as one of the
    functions.
    """
    files = {
        function.__code__.co_filename
        for function in functions.values()
        if hasattr(function, "__code__")
    }
    line = ""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename in files:
            line = linecache.getline(filename, traceback.tb_lineno).strip()
        traceback = traceback.tb_next
    return line[:ERROR_LIMIT]

"""What ends a command: one line that says what, where and what to type, whatever went wrong below.

Problems that this package raises explain themselves. Errors of the disk and of the gradebook are
put into words here. Everything else is a bug of ours: the line says so and names a file with the
details, and the exit status is 3.
"""

from __future__ import annotations

import errno
import os
import platform
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import typer
from packaging.requirements import Requirement
from typer.core import TyperGroup

from nbjudge import plain_text

REFUSED = 2
BUG = 3
# What was typed wrong, as Typer raises it, with or without a Click of its own.
_UsageError: Any = typer.BadParameter.__base__
MAX_LINE = 4000
# What the extra `grading` brings along and is imported under another name than its own.
MODULES = {"PIL", "zmq", "jupyter_server"}
AGAIN = "then type the command again"
ADVICE = {
    errno.ENOSPC: f"make room there, {AGAIN}; what was finished is kept",
    errno.EDQUOT: f"make room there, {AGAIN}; what was finished is kept",
    errno.EROFS: f"make it writable, or name another folder, {AGAIN}",
    errno.EACCES: f"give yourself the right to it (`ls -ld` shows whose it is), {AGAIN}",
    errno.EPERM: f"give yourself the right to it (`ls -ld` shows whose it is), {AGAIN}",
    errno.ENOENT: f"make it or name another, {AGAIN}",
    errno.ENOTDIR: f"a file stands where a folder should be: move it away, {AGAIN}",
    errno.EISDIR: f"a folder stands where a file should be: move it away, {AGAIN}",
    errno.EEXIST: f"something stands in the way: move it away, {AGAIN}",
    errno.EMFILE: f"type `ulimit -n 4096`, {AGAIN}",
    errno.ENFILE: f"the machine has too many files open: close some programs, {AGAIN}",
    errno.EAGAIN: f"the machine has no room for another process: close some programs, {AGAIN}",
    errno.ENOMEM: f"the machine has no memory left: close some programs, {AGAIN}",
    errno.EIO: f"the disk fails: copy the course folder to another one, {AGAIN}",
}
DATABASE = (
    ("locked", f"another program is writing it: wait or close that, {AGAIN}"),
    ("disk is full", f"the disk is full: make room, {AGAIN}"),
    ("readonly", f"it cannot be written: give yourself the right to it and to its folder, {AGAIN}"),
    (
        "unable to open",
        f"it cannot be opened: give yourself the right to it and to its folder, {AGAIN}",
    ),
    (
        "no such",
        "it is of another version of nbgrader: type `nbgrader db upgrade` in the course folder",
    ),
)
GRADING = "`pip install -c requirements.lock ./workbench ./autograder '.[course,minilm]'` in the course's folder"
DATABASE_BROKEN = "restore it from a backup, or move it away and type `course publish`, then `course grade ASSIGNMENT --force`"


class OneLine(TyperGroup):
    """A command group whose commands never end in a traceback, nor in a box of lines."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _mistyped():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _mistyped():
                return super().invoke(ctx)
        except BrokenPipeError:
            # The last flush then has nobody to complain to.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except Exception as error:
            # Exits, and what was typed wrong: both say so themselves.
            if type(error).__module__.split(".")[0] in ("click", "typer"):
                raise
            text, status = explain(error)
            typer.echo(f"course: {text}", err=True)
            raise typer.Exit(status) from None


@contextmanager
def _mistyped() -> Iterator[None]:
    """What was typed wrong, on one line. A command without a word gets its help."""
    try:
        yield
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        helping = f"{error.ctx.command_path} --help" if error.ctx else "course --help"
        said = one_line(error.format_message()).removesuffix(".")
        typer.echo(f"course: {said}: type `{helping}`", err=True)
        raise typer.Exit(REFUSED) from None


def explain(error: Exception) -> tuple[str, int]:
    """One line on an error, and the exit status."""
    if isinstance(error, ModuleNotFoundError) and (missing := _of_grading(error)):
        return (
            f"this command needs {missing}, which is not installed. The part of the course for students has `course check`, "
            f"`course submit` and `course doctor`; for the others type {GRADING}, {AGAIN}"
        ), REFUSED
    if isinstance(error, ModuleNotFoundError) and "type `pip install" in str(error):
        return one_line(str(error)), REFUSED  # a library that says itself what it needs
    if _origin(error) == "nbjudge":
        return one_line(str(error)), REFUSED
    if _origin(error) == "sqlalchemy" or isinstance(error, sqlite3.Error):
        said = one_line(str(getattr(error, "orig", None) or error))
        advice = next((advice for words, advice in DATABASE if words in said), DATABASE_BROKEN)
        return f"the gradebook answers: {said}: {advice}", REFUSED
    if isinstance(error, OSError) and error.errno is not None:
        return one_line(_of_system(error)), REFUSED
    if isinstance(error, MemoryError):
        return f"the machine has no memory left: close some programs, {AGAIN}", REFUSED
    bug = f"a bug of ours ({type(error).__name__}): nothing was lost"
    return f"{bug}. Details are in {_log(error)}: please send us that file", BUG


def _of_grading(error: ModuleNotFoundError) -> str:
    """The package that an import lacks, if it is one that the extra `grading` brings."""
    name = str(error.name).partition(".")[0]
    needed = [Requirement(text) for text in metadata.requires("nbjudge") or ()]
    grading = {
        each.name.replace("-", "_")
        for each in needed
        if each.marker and "grading" in str(each.marker)
    }
    return name if name in grading or name in MODULES else ""


def _of_system(error: OSError) -> str:
    is_file = isinstance(error.filename, str | bytes)
    place = f"{os.fsdecode(error.filename)}: " if is_file else ""
    advice = ADVICE.get(error.errno or 0, f"mend that, {AGAIN}")
    return f"{place}{error.strerror}: {advice}"


def _origin(error: Exception) -> str:
    return type(error).__module__.split(".")[0]


def one_line(text: str) -> str:
    """One line that a terminal can show, whatever names are in it."""
    return plain_text.line(text, MAX_LINE)


def _log(error: Exception) -> str:
    """Write what happened into a file of its own, readable by the user alone. Returns its path, or
    where the text went instead.
    """
    text = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
    head = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\nPython {platform.python_version()}, {platform.platform()}\n{sys.argv!r}\n\n"
    for folder in (None, Path.cwd()):
        try:
            descriptor, path = tempfile.mkstemp(prefix="course-bug-", suffix=".log", dir=folder)
            with open(descriptor, "wb") as file:
                file.write(head.encode("utf-8", "backslashreplace") + text)
            return path
        except OSError:
            continue
    return f"nowhere, because no file can be written; it was: {one_line(str(error))[:300]}"

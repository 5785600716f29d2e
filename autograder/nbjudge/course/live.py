"""A class while it is graded: what runs and since when, how many are done, what is left; plain
lines where there is no terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from nbjudge import plain_text
from nbjudge.grading.run.coordinator import Watcher
from nbjudge.grading.run.table import changed_mark, so_far

MAX_ROWS = 16
COLUMNS = (
    BarColumn(),
    MofNCompleteColumn(),
    TimeElapsedColumn(),
    TextColumn("left"),
    TimeRemainingColumn(),
)


@contextmanager
def progress(console: Console | None = None) -> Iterator[Watcher]:
    """A view that `coordinator.grade` feeds."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console).watch
        return
    view = _View(console)
    with Live(view, console=console, refresh_per_second=4, transient=True):
        yield view.watch


@contextmanager
def counting(what: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """A bar that hears how many are done, of how many; nothing where there is no terminal."""
    console = console or Console(stderr=True)
    with Progress(
        TextColumn(what), *COLUMNS, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        row = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(row, completed=done, total=total)


def count(number: int) -> str:
    return f"{number} submission" if number == 1 else f"{number} submissions"


class _Lines:
    def __init__(self, console: Console):
        self._console = console

    def watch(self, event: str, number: int, what: Any) -> None:
        if event == "reference":
            total, exercise = what
            self._say(f"reference {number} of {total}: {exercise}")
        elif event == "start":
            self._say(f"grading {count(number)}")
        elif event == "later":
            self._say(f"{what}: its time is over; the others go first")
        elif event == "changed":
            self._say(changed_mark(what))
        elif event == "done":
            self._say(f"{number}: {what.student} {what.status} {so_far(what)}")

    def _say(self, text: str) -> None:
        self._console.print(plain_text.line(text), highlight=False, markup=False)


class _View:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(TextColumn("{task.description}"), *COLUMNS)
        self._references = self._bar.add_task("reference outputs", total=None)
        self._row = self._bar.add_task("submissions", total=None, visible=False)
        self._running: dict[str, tuple[float, str]] = {}
        self._last = ""

    def watch(self, event: str, number: int, what: Any) -> None:
        if event == "reference":
            total, self._last = what
            is_open = number < total
            self._bar.update(self._references, total=total, completed=number, visible=is_open)
        elif event == "start":
            self._bar.update(self._references, visible=False)
            self._bar.reset(self._row, total=number, visible=True)
            self._last = ""
        elif event == "running":
            self._running = what
        elif event == "later":
            self._last = f"{what}: its time is over; the others go first"
        elif event == "changed":
            self._console.print(Text(plain_text.line(changed_mark(what))))
        elif event == "done":
            self._bar.update(self._row, completed=number)
            self._last = f"{what.student}: {what.status} {so_far(what)}"

    def __rich__(self) -> Group:
        oldest = sorted(self._running.items(), key=lambda item: -item[1][0])
        rows = [_row(student, *look) for student, look in oldest[:MAX_ROWS]]
        more = [Text(f"  and {len(oldest) - MAX_ROWS} more")] if len(oldest) > MAX_ROWS else []
        return Group(
            self._bar,
            *([Text(plain_text.line(self._last), style="dim")] if self._last else []),
            *rows,
            *more,
        )


def _row(student: str, seconds: float, notebook: str) -> Text:
    return Text(f"  {plain_text.line(student, 60)}  {notebook}  {seconds:.0f} s")

"""A class's report in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nbjudge import plain_text
from nbjudge.course.report import wording
from nbjudge.course.report.classes import ClassReport, Item
from nbjudge.course.report.figures import BARS

LEVELS = " ▁▂▃▄▅▆▇█"
SHOWN = 20


def show(report: ClassReport, console: Console | None = None) -> None:
    """Print a table of the exercises, then what broke in each, then who handed in the same, and
    the pairs that are alike."""
    console = console or _console()
    told = partial(console.print, highlight=False)
    console.print(_table(report))
    told(_plain(wording.TERMS))
    for item in report.items:
        if lines := list(_broken(item)):
            told(_plain(f"\n{item.name}"), style="bold")
            for line in lines:
                told(_plain(f"  {line}"))
    if report.changed:
        told(_plain(f"\n{wording.changes(report)}"))
        for one in report.changed:
            told(_plain(f"  {wording.changed(one)}"))
    if report.defended:
        told(_plain(f"\n{wording.DEFENDED}"))
        for each in report.defended:
            told(_plain(f"  {wording.defended(each)}"))
    told(_plain(f"\n{wording.compared(report)}"))
    _list(told, wording.groups(report), "groups", map(wording.group, report.groups))
    _list(told, wording.pairs(report), "pairs", map(wording.pair, report.pairs))
    for line in map(wording.too_short, report.too_short):
        told(_plain(line))


def _list(told: Callable, heading: str, things: str, lines: Iterable[str]) -> None:
    told(_plain(heading))
    lines = list(lines)
    for line in lines[:SHOWN]:
        told(_plain(f"  {line}"))
    if (more := len(lines) - SHOWN) > 0:
        told(f"  and {more} {things} more: --html and --json list all")


HEADINGS = (
    "exercise",
    "points",
    "minutes",
    "tried",
    "to mark",
    "all points",
    "0 … all",
    "difficulty",
    "discrimination",
)


def _table(report: ClassReport) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=_plain(wording.headline(report)), title_justify="left")
    for heading in HEADINGS:
        side: Literal["left", "right"] = "left" if heading in ("exercise", "0 … all") else "right"
        table.add_column(heading, justify=side, no_wrap=heading != "exercise")
    for item in report.items:
        table.add_row(*_cells(item, report.students))
    return table


def _cells(item: Item, students: int) -> Iterator[str | Text]:
    yield _plain(item.name)
    yield f"{item.points:g}"
    yield str(item.minutes or "")
    yield f"{item.tried} of {students}"
    yield str(item.waiting or "")
    yield str(item.full)
    yield bars(item.histogram)
    yield "" if item.difficulty is None else f"{item.difficulty:.2f}"
    yield wording.discrimination(item.discrimination)


def bars(histogram: Sequence[int]) -> str:
    """One character a bar, as high as its part of the highest; what is there is never invisible."""
    most = max(*histogram, 1)
    return "".join(
        LEVELS[0 if not count else max(1, round(count / most * (len(LEVELS) - 1)))]
        for count in histogram
    ).ljust(BARS)


def _broken(item: Item) -> Iterator[str]:
    if item.earned:
        yield wording.earned(item)
    if item.rungs:
        yield wording.rungs(item)
    for one in item.misconceptions:
        yield wording.misconception(one, item)


def _plain(text: str) -> Text:
    return Text(plain_text.block(text))


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=160)

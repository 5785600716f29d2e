"""A comparison in a terminal. Colour says what the words say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formatlab.diff.changes import Change, Kind
from formatlab.diff.comparison import Comparison
from formatlab.diff.words import capital

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

COLOURS = {
    Kind.REMOVED: "red",
    Kind.ADDED: "green",
    Kind.INVALID: "bold red",
    Kind.OPSET: "dim",
    Kind.IR: "dim",
    Kind.METADATA: "dim",
}
OTHERS = "yellow"


def show(found: Comparison, console: Console, verbose: bool = False) -> None:
    """What changed; of two models that are the same nothing, unless `verbose`, or unless
    outputs were expected of them."""
    from rich.table import Table
    from rich.text import Text

    asked = found.agreement is not None and found.agreement.expected
    if found.is_same and not verbose and not asked:
        return
    for letter, model in (("A", found.a), ("B", found.b)):
        console.print(Text(f"{letter}  {model.label}", "bold"), soft_wrap=True)
    console.print(Text(found.headline))
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for change in (*found.changes, *(found.remarks if verbose else ())):
        table.add_row(Text(change.kind.value, colour(change.kind)), _sentence(change))
        if verbose:
            for each in change.members:
                table.add_row("", Text("· ").append_text(_sentence(each)))
    console.print(table)
    for line in (found.rest, found.agreement.text if found.agreement else ""):
        if line:
            console.print(names(line))


def colour(kind: Kind) -> str:
    return COLOURS.get(kind, OTHERS)


def _sentence(change: Change) -> Text:
    return names(f"{capital(change.sentence)}.")


def names(sentence: str) -> Text:
    """The sentence with its names in colour. Nothing in it is markup: names come out of files."""
    from rich.text import Text

    found = Text()
    for number, part in enumerate(re.split(r"(`[^`]*`)", sentence)):
        found.append(part, "cyan" if number % 2 else None)
    return found

"""A comparison as one HTML page: what changed in words, then both graphs side by side, node by node,
with subgraphs as frames inside. The page holds no script and fetches nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import resources

from formatlab.diff.changes import Change, Kind
from formatlab.diff.compare import ScopeDiff
from formatlab.diff.comparison import Comparison
from formatlab.diff.scopes import Node, Scope
from formatlab.diff.words import count, plain

# By scope, side and place of a node, what became of it.
Notes = Mapping[tuple[int, str, int], list[str]]
# So many equal nodes in a row are folded.
FOLD = 4
# Beyond it, only the rows around changes are written.
MOST_ROWS = 4000
# How a row is coloured, and the word that stands in it.
WORDS = {
    "same": "",
    "removed": "removed",
    "added": "added",
    "became": "became",
    "changed": "changed",
}
TONES = {
    Kind.REMOVED: "removed",
    Kind.INVALID: "invalid",
    Kind.ADDED: "added",
    **dict.fromkeys(
        (Kind.FUSED, Kind.SPLIT, Kind.REPLACED, Kind.QUANTIZED, Kind.FOLDED, Kind.MERGED), "became"
    ),
    **dict.fromkeys(
        (Kind.OPSET, Kind.IR, Kind.METADATA, Kind.NAMES, Kind.ORDER, Kind.ANNOTATIONS), "quiet"
    ),
}


@cache
def style() -> str:
    return resources.files("formatlab.diff").joinpath("page.css").read_text(encoding="utf-8")


def page(found: Comparison) -> str:
    """The whole page."""
    title = f"{_short(found.a.label)} and {_short(found.b.label)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style()}</style></head>\n"
        f'<body class="fd">{body(found)}</body></html>\n'
    )


def fragment(found: Comparison) -> str:
    """The same for a notebook's output."""
    return f'<style>{style()}</style><div class="fd">{body(found, folded=True)}</div>'


def body(found: Comparison, folded: bool = False) -> str:
    known = [found.rest, found.agreement.text if found.agreement else ""]
    parts = [
        f"<h1>{escape(found.headline)}</h1>",
        f"<p>A is {_code(found.a.label)}, B is {_code(found.b.label)}.</p>",
        _list(found.changes),
        *(f"<p>{sentence(line)}</p>" for line in known if line),
    ]
    if found.remarks:
        said = "".join(f"<li>{sentence(_capital(each.sentence))}.</li>" for each in found.remarks)
        parts.append(
            f"<details><summary>What is another and changes nothing</summary><ul>{said}</ul></details>"
        )
    graphs = "".join(_graphs(found))
    if folded:
        parts.append(f"<details><summary>Both graphs side by side</summary>{graphs}</details>")
    else:
        parts.append(f"<h2>Both graphs side by side</h2>{graphs}")
    return "\n".join(parts)


def _list(changes: list[Change]) -> str:
    items = []
    for change in changes:
        tone = TONES.get(change.kind, "changed")
        inner = ""
        if change.members:
            each = "".join(
                f"<li>{sentence(_capital(one.sentence))}.</li>" for one in change.members[:200]
            )
            left = len(change.members) - 200
            more = f"<li>and {left} more</li>" if left > 0 else ""
            inner = f"<details><summary>each of them</summary><ul>{each}{more}</ul></details>"
        items.append(
            f'<li class="{tone}"><span class="tag">{change.kind.value}</span>'
            f"{sentence(_capital(change.sentence))}.{inner}</li>"
        )
    return f'<ul class="changes">{"".join(items)}</ul>' if items else ""


def sentence(text: str) -> str:
    """A sentence with its names as code. All of it is escaped: names come out of files."""
    parts = re.split(r"`([^`]*)`", text)
    return "".join(
        f"<code>{escape(part)}</code>" if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _code(text: str) -> str:
    return f"<code>{escape(plain(text, 200))}</code>"


def _short(label: str) -> str:
    return plain(label.rpartition("/")[2] or label, 60)


@dataclass(kw_only=True)
class Row:
    """What stands side by side. `tone` is same, removed, added, became or changed."""

    place: float
    a: list[int]
    b: list[int]
    tone: str
    notes: list[str] = field(default_factory=list)
    inner: list[ScopeDiff] = field(default_factory=list)


def _graphs(found: Comparison) -> Iterator[str]:
    notes: dict[tuple[int, str, int], list[str]] = defaultdict(list)
    for change in found.found:
        for side, places in (("a", change.nodes_a), ("b", change.nodes_b)):
            for at in places:
                notes[change.scope, side, at].append(_capital(change.text))
    inside = {id(inner) for scope in found.scopes for _, inner in scope.inner}
    for scope in found.scopes:
        if id(scope) not in inside:
            yield _frame(scope, notes, _heads(found) if not scope.title else "")


def _heads(found: Comparison) -> str:
    return "".join(
        f'<div class="head">{letter}: {escape(_short(model.label))}</div>'
        for letter, model in (("A", found.a), ("B", found.b))
    )


def _frame(scope: ScopeDiff, notes: Notes, heads: str = "") -> str:
    rows = _rows(scope, notes)
    parts: list[str] = []
    quiet: list[Row] = []

    def fold() -> None:
        shown = "".join(_row(scope, each, notes) for each in quiet)
        if len(quiet) > FOLD:
            label = f"{count(len(quiet), 'node')} the same"
            shown = f'<details class="wide"><summary>{label}</summary><div class="side">{shown}</div></details>'
        parts.append(shown)
        quiet.clear()

    for row in rows[:MOST_ROWS]:
        if row.tone == "same" and not row.inner:
            quiet.append(row)
        else:
            fold()
            parts.append(_row(scope, row, notes))
    fold()
    if len(rows) > MOST_ROWS:
        parts.append(f'<p class="wide">and {len(rows) - MOST_ROWS} rows more</p>')
    grid = f'<div class="side">{heads}{"".join(parts)}</div>'
    if not scope.title:
        return grid
    return f"<fieldset><legend>{sentence(_capital(scope.title))}</legend>{grid}</fieldset>"


def _rows(scope: ScopeDiff, notes: Notes) -> list[Row]:
    pairs = scope.pairs
    inner = defaultdict(list)
    for at, found in scope.inner:
        inner[at].append(found)
    rank_a = {at: number for number, at in enumerate(pairs.a.order)}
    before: dict[int, float] = {}
    last = -1.0
    for at in pairs.b.order:
        last = rank_a.get(pairs.back.get(at, -1), last)
        before[at] = last
    rows = []
    for one, other in pairs.forth.items():
        said = notes.get((scope.number, "a", one), []) + notes.get((scope.number, "b", other), [])
        said = list(dict.fromkeys(said))
        tone = "changed" if said else "same"
        rows.append(
            Row(place=rank_a[one], a=[one], b=[other], tone=tone, notes=said, inner=inner[one])
        )
    for region in scope.regions:
        tone = "became" if region.a and region.b else "removed" if region.a else "added"
        place = rank_a[region.a[0]] if region.a else before[region.b[0]] + 0.5
        key = ("a", region.a[0]) if region.a else ("b", region.b[0])
        rows.append(
            Row(
                place=place,
                a=region.a,
                b=region.b,
                tone=tone,
                notes=notes.get((scope.number, *key), []),
            )
        )
    return sorted(rows, key=lambda row: row.place)


def _row(scope: ScopeDiff, row: Row, notes: Notes) -> str:
    cells = []
    for side, places in ((scope.pairs.a, row.a), (scope.pairs.b, row.b)):
        cards = "".join(_card(side, side.nodes[at]) for at in places[:60])
        if len(places) > 60:
            cards += f'<div class="none">and {len(places) - 60} more</div>'
        empty = "not in A" if side is scope.pairs.a else "not in B"
        cells.append(f'<div class="{row.tone}">{cards or f"<div class=none>{empty}</div>"}</div>')
    tag = f'<span class="tag">{WORDS[row.tone]}</span>' if WORDS[row.tone] else ""
    said = " ".join(f"{sentence(each)}." for each in row.notes[:4])
    if len(row.notes) > 4:
        said += f" And {len(row.notes) - 4} more."
    note = f'<div class="note">{tag}{said}</div>' if tag or said else ""
    inner = "".join(_frame(each, notes) for each in row.inner)
    return "".join(cells) + note + (f'<div class="wide">{inner}</div>' if inner else "")


def _card(scope: Scope, node: Node) -> str:
    reads = ", ".join(
        escape(plain(scope.name_of(source), 40)) for source in node.inputs if source.kind != "none"
    )
    gives = ", ".join(escape(plain(name, 40)) for name in node.outputs if name)
    name = f" <code>{escape(plain(node.name, 60))}</code>" if node.name else ""
    return (
        f'<div class="card"><b>{escape(plain(node.operator))}</b>{name}'
        f"<small><code>{reads}</code> → <code>{gives}</code></small></div>"
    )

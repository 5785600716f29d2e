"""Rows under headings: an HTML table where pages are read, aligned text in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape


@dataclass(frozen=True)
class Grid:
    """What `grid` returns."""

    html: str
    text: str

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}

    def __repr__(self) -> str:
        return self.text


def grid(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Grid:
    """A table with a heading for each column; a row's first cell heads it. Floats: two decimals."""
    lines = [list(headings), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    head = "".join(
        f'<th scope="col" style="text-align:left">{escape(cell)}</th>' for cell in lines[0]
    )
    body = "\n".join(_row(line) for line in lines[1:])
    return Grid(
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>", text
    )


def _text(cell: object) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _row(cells: Sequence[str]) -> str:
    first, *others = map(escape, cells)
    style = 'style="text-align:left"'
    return (
        f'<tr><th scope="row" {style}>{first}</th>'
        + "".join(f"<td {style}>{cell}</td>" for cell in others)
        + "</tr>"
    )

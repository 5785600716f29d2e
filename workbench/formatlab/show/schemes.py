"""Pictures of a way and of a choice: what a thing passes through, and which questions lead where.

Both are as wide as a phone shows without shrinking their words, so a long text takes more lines.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from formatlab.show.drawing import CHARACTER, HEIGHT, STYLE, Drawing

WIDTH = 360
MARGIN = 16
LINE = 16  # from one line of a text to the next
GAP = 34  # between two boxes, where the arrow is
LEVEL = 22  # how far an answer's question stands to the right of the one before
INK = "#1b1b1b"
NOTE = "#5a4a00"
NOTED = f'fill="{NOTE}"'
ARROW = "#5a6773"
KINDS = {
    "float": (STYLE["input"], INK),
    "codes": (STYLE["output"], INK),
    "node": (STYLE["node"], "#ffffff"),
    "lost": (STYLE["wrong"], INK),
    "plain": ('fill="#ffffff" stroke="#6b6b6b" stroke-width="1.2"', INK),
}

Box: TypeAlias = "tuple[str, str]"
Tree: TypeAlias = "str | tuple[str, Mapping[str, Tree]]"


@dataclass
class _Canvas:
    """What has been drawn so far."""

    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, look: str) -> None:
        self.parts.append(f'<text x="{x:g}" y="{y:g}" {look}>{escape(words)}</text>')

    def box(self, x: float, y: float, width: float, lines: Sequence[str], kind: str) -> float:
        """Draw the lines in a box with its top at `y`; returns its height."""
        style, ink = KINDS[kind]
        height = HEIGHT + LINE * (len(lines) - 1)
        radius = 4 if kind == "node" else 8
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" rx="{radius}" {style}/>'
        )
        look = f'fill="{ink}" text-anchor="middle"'
        for number, line in enumerate(lines):
            self.text(x + width / 2, y + 19.5 + LINE * number, line, look)
        return height

    def arrow(self, x: float, start: float, end: float) -> None:
        self.parts.append(
            f'<path d="M{x:g} {start:g}V{end - 2:g}M{x - 4:g} {end - 7:g}L{x:g} {end - 1:g}L{x + 4:g} {end - 7:g}"'
            f' fill="none" stroke="{ARROW}" stroke-width="1.4"/>'
        )

    def drawing(self, height: float, title: str, words: Sequence[str]) -> Drawing:
        tall = round(height)
        description = f"{title}. {' '.join(words)}"
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}" '
            f'style="max-width:100%;height:auto" role="img" aria-label={quoteattr(title)} '
            'font-family="ui-monospace,monospace" font-size="12.5">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
            f'<rect width="{WIDTH}" height="{tall}" rx="8" fill="#ffffff" stroke="#d0d4d9"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )
        return Drawing(svg, "\n".join([title, *words]), description)


def _fit(label: str, width: float) -> list[str]:
    return textwrap.wrap(label, max(8, int((width - 12) / CHARACTER)))


def lanes(columns: Mapping[str, Sequence[Box | None]], title: str) -> Drawing:
    """Ways side by side, from top to bottom. A box is a label and its kind: `float`, `codes`,
    `node`, `lost` or `plain`. Boxes of one row are at one height; None lets the arrow go past a row.

    `title` says what the comparison shows. Raises KeyError where a kind
    is none of these.
    """
    canvas = _Canvas()
    step = (WIDTH - MARGIN) / len(columns)
    wide = step - MARGIN
    fitted = {
        name: [None if box is None else (_fit(box[0], wide), box[1]) for box in boxes]
        for name, boxes in columns.items()
    }
    tops = [MARGIN + 18.0]
    for row in zip_longest(*fitted.values()):
        lines = max(1 if box is None else len(box[0]) for box in row)
        tops.append(tops[-1] + HEIGHT + LINE * (lines - 1) + GAP * 0.7)
    words = []
    for number, (name, boxes) in enumerate(fitted.items()):
        x = MARGIN + number * step
        canvas.text(x + wide / 2, MARGIN + 8, name, f'{NOTED} text-anchor="middle"')
        end = None
        for top, box in zip(tops, boxes, strict=False):
            if box is None:
                continue
            if end is not None:
                canvas.arrow(x + wide / 2, end, top)
            end = top + canvas.box(x, top, wide, *box)
        said = ", then ".join(box[0] for box in columns[name] if box is not None)
        words.append(f"{name}: {said}.")
    return canvas.drawing(tops[-1], title, words)


def chain(boxes: Sequence[tuple[str, str, str]], title: str) -> Drawing:
    """One way from top to bottom. A box is a label, its kind as in `lanes`, and what is said beside
    the arrow that leaves it; the last box says nothing.

    `title` says what the way shows.
    """
    canvas = _Canvas()
    wide = 16 * CHARACTER + 22
    beside = MARGIN + wide / 2 + 14
    top = float(MARGIN)
    words = []
    for number, (label, kind, note) in enumerate(boxes):
        bottom = top + canvas.box(MARGIN, top, wide, _fit(label, wide), kind)
        notes = textwrap.wrap(note, int((WIDTH - MARGIN - beside) / CHARACTER))
        for row, line in enumerate(notes):
            canvas.text(beside, bottom + 20 + LINE * row, line, NOTED)
        top = bottom + max(GAP, 20 + LINE * len(notes))
        if number < len(boxes) - 1:
            canvas.arrow(MARGIN + wide / 2, bottom, top)
        words.append(f"{label}: {note}." if note else f"{label}.")
    return canvas.drawing(top - GAP + MARGIN, title, words)


def tree(question: Tree, title: str) -> Drawing:
    """A choice: a question with the answers to it, each of which leads to another question or to a
    result. Answers stand below their question and farther to the right.

    `title` says what decides.
    """
    canvas = _Canvas()
    height = _grown(canvas, question, level=0, top=float(MARGIN))
    return canvas.drawing(height, title, [_said(question)])


def _said(node: Tree) -> str:
    """The node and all below it in words: each question, and in brackets where its answers lead."""
    if isinstance(node, str):
        return node
    question, answers = node
    ways = "; ".join(f"{answer}: {_said(child)}" for answer, child in answers.items())
    return f"{question} ({ways})"


def _grown(canvas: _Canvas, node: Tree, *, level: int, top: float) -> float:
    """Draw the node with its top there; returns where the next one may begin."""
    x = MARGIN + level * LEVEL
    wide = WIDTH - MARGIN - x
    if isinstance(node, str):
        return top + canvas.box(x, top, wide, _fit(node, wide), "codes") + 8
    label, answers = node
    bottom = top + canvas.box(x, top, wide, _fit(label, wide), "float")
    below = bottom + 4
    for answer, child in answers.items():
        middle = below + 12
        canvas.parts.append(
            f'<path d="M{x + 8:g} {bottom:g}V{middle:g}h{LEVEL - 4}" fill="none" stroke="{ARROW}" stroke-width="1.4"/>'
        )
        canvas.text(x + LEVEL + 8, middle + 4, answer, NOTED)
        below = _grown(canvas, child, level=level + 1, top=middle + 12)
    return below

"""Bars, strips of bytes, and graphs side by side: drawn as SVG with a description in words, like
the graphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

from formatlab.show.drawing import CHARACTER, STYLE, Drawing

WIDTH = 360  # as wide as a phone shows without shrinking the words
ROW = 26
MARGIN = 16
GAP = 24
BESIDE = 780
BAR_ROW = 42
INK = "#1b1b1b"
BAR = "#2b5d8c"
LIMIT = "#b3402a"
SOFT = STYLE["input"]
CROSS = "\N{BALLOT X}"


def bars(
    values: Mapping[str, float],
    title: str,
    unit: str = "",
    line: tuple[float, str] | None = None,
) -> Drawing:
    """One bar for each value, below its label and its number. `title` says what the bars show.
    `unit` is a plural: 1 gets its singular. `line` is a value to compare the bars with, and what it
    is: a dashed line through all bars.
    """
    shown = {label: _counted(value, unit) for label, value in values.items()}
    lengths = [round((len(label) + len(text) + 2) * CHARACTER) for label, text in shown.items()]
    width = max(WIDTH, *(length + 2 * MARGIN for length in lengths))
    parts = []
    longest = max(values.values()) or 1
    for row, (label, value) in enumerate(values.items()):
        y = MARGIN + row * BAR_ROW
        long = max(2.0, (width - 2 * MARGIN) * value / longest)
        parts += [_text(MARGIN, y + 12, label, "start")]
        parts += [_text(width - MARGIN, y + 12, shown[label], "end"), _bar(y + 18, long)]
    described = [f"{label}: {text}" for label, text in shown.items()]
    height = len(values) * BAR_ROW + 2 * MARGIN - 8
    if line is not None:
        x = MARGIN + (width - 2 * MARGIN) * line[0] / longest
        marks = [
            f"M{x:.1f} {MARGIN + row * BAR_ROW + 16}v16" for row in range(len(values))
        ]  # between the words, so that it goes through none
        parts.append(
            f'<path d="{"".join(marks)}" stroke="{LIMIT}" stroke-width="1.6" stroke-dasharray="4 3"/>'
        )
        side = "end" if x > width / 2 else "start"
        parts.append(_text(x, height - 2, line[1], side, LIMIT))
        described.append(f"the dashed line: {line[1]}")
        height += MARGIN
    return _drawing(parts, height, title, described, width=width)


def _bar(y: int, long: float) -> str:
    return f'<rect x="{MARGIN}" y="{y}" width="{long:.1f}" height="12" rx="2" fill="{BAR}"/>'


def strip(parts: Iterable[tuple[str, str]], title: str) -> Drawing:
    """A file as boxes in the order of its bytes. Each part is a label and a second line, such as
    its bytes or their number.

    A box is as wide as its words, not as long as its bytes.
    """
    drawn = []
    described = []
    x = float(MARGIN)
    y = MARGIN
    for label, below in parts:
        width = max(len(label), len(below)) * CHARACTER + 18
        if x + width > WIDTH - MARGIN:
            x = float(MARGIN)
            y = y + 2 * ROW + 10
        drawn.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{2 * ROW - 6}" {SOFT}/>'
        )
        drawn += [_text(x + width / 2, y + 19, label), _text(x + width / 2, y + 37, below)]
        described.append(f"{label}: {below}")
        x += width
    return _drawing(drawn, y + 2 * ROW + MARGIN, title, described)


def grid_of(
    rows: list[list[str]],
    marked: Iterable[tuple[int, int]],
    title: str,
    wrong: Iterable[tuple[int, int]] = (),
) -> Drawing:
    """A grid of cells with texts; the cells in `marked`, as (row, column), are filled. In words they
    stand in square brackets. Those in `wrong` are red and begin with a cross.
    """
    marked, wrong = set(marked), set(wrong)
    rows = [
        [f"{CROSS} {cell}" if (y, x) in wrong else cell for x, cell in enumerate(row)]
        for y, row in enumerate(rows)
    ]
    side = max(34, max(len(cell) for row in rows for cell in row) * CHARACTER + 12)
    parts = []
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            kind = "output" if (y, x) in marked else "initializer"
            look = STYLE["wrong" if (y, x) in wrong else kind]
            parts.append(
                f'<rect x="{MARGIN + x * side:g}" y="{MARGIN + y * 32}" width="{side - 3:g}" height="29" {look}/>'
            )
            parts.append(_text(MARGIN + x * side + side / 2 - 1.5, MARGIN + y * 32 + 19, cell))
    width = max(map(len, rows)) * side + 2 * MARGIN
    words = [
        ", ".join(f"[{cell}]" if (y, x) in marked else cell for x, cell in enumerate(row))
        for y, row in enumerate(rows)
    ]
    if marked:
        words[0] = f"Filled cells are in brackets: {words[0]}"
    return _drawing(parts, len(rows) * 32 + 2 * MARGIN, title, words, width=round(width))


def pair(
    before: Drawing, after: Drawing, title: str, names: tuple[str, str] = ("before", "after")
) -> Drawing:
    """Two drawings in one picture, side by side or, where that is too wide, one below the other."""
    wide, high = _size(before)
    wide_2, high_2 = _size(after)
    beside = wide + wide_2 + GAP <= BESIDE
    x, y = (wide + GAP, ROW) if beside else (0, high + 2 * ROW)
    parts = [_text(8, 17, names[0], "start"), _placed(before.svg, 0, ROW)]
    parts += [_text(x + 8, y - 9, names[1], "start"), _placed(after.svg, x, y)]
    width = wide + wide_2 + GAP if beside else max(wide, wide_2)
    height = ROW + max(high, high_2) if beside else high + high_2 + 2 * ROW
    both = list(zip(names, (before, after), strict=True))
    words = [f"{name}: {drawing.description.removesuffix('.')}" for name, drawing in both]
    text = "\n\n".join(f"{name}\n{drawing.text}" for name, drawing in both)
    return _drawing(parts, height, title, words, width=width, text=text)


def _counted(value: float, unit: str) -> str:
    """The number with its unit: 2 nodes, and 1 node."""
    single = value == 1 and unit.isalpha() and unit.endswith("s")
    return f"{value:g} {unit[:-1] if single else unit}".strip()


def _drawing(
    parts: list[str],
    height: int,
    title: str,
    words: list[str],
    *,
    width: int = WIDTH,
    text: str = "",
) -> Drawing:
    description = f"{title}. {'; '.join(words)}."
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'style="max-width:100%;height:auto" role="img" aria-label={quoteattr(title)} '
        'font-family="ui-monospace,monospace" font-size="12.5">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff" stroke="#d0d4d9"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
    return Drawing(svg, text or "\n".join([title, *words]), description)


def _text(x: float, y: float, words: str, anchor: str = "middle", ink: str = INK) -> str:
    return f'<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" fill="{ink}">{escape(words)}</text>'


def _size(drawing: Drawing) -> tuple[int, int]:
    found = re.search(r'width="(\d+)" height="(\d+)"', drawing.svg)
    assert found is not None  # `Drawing` writes both
    return int(found[1]), int(found[2])


def _placed(svg: str, x: float, y: float) -> str:
    return svg.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1).replace('role="img" ', "", 1).strip()

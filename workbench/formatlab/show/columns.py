"""A map in columns: names stacked in each, lines from one column to the next, and the same as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from formatlab.show.drawing import Drawing

WIDTH = 146
HEIGHT = 30
GAP = 9
BETWEEN = 64
MARGIN = 16
HEADING = 34
FILLS = ("#e8f1fb", "#fdf3e1", "#e6f4ea")
STROKES = ("#2b5d8c", "#8a5a00", "#256b3a")


def columns(
    title: str, stacks: Mapping[str, Sequence[str]], links: Sequence[tuple[str, str, bool]]
) -> Drawing:
    """`stacks` are up to three columns of names under their headings, left to right; names are
    unique.

    `links` are (from, to, solid) between neighbouring columns. The text has a line for each name
    that has links to the right.
    """
    tallest = max(map(len, stacks.values()))
    height = HEADING + tallest * (HEIGHT + GAP) + 2 * MARGIN
    width = len(stacks) * WIDTH + (len(stacks) - 1) * BETWEEN + 2 * MARGIN
    places = {}
    boxes = []
    for number, (heading, names) in enumerate(stacks.items()):
        x = MARGIN + number * (WIDTH + BETWEEN)
        boxes.append(
            f'<text x="{x + WIDTH / 2:g}" y="{MARGIN + 14}" text-anchor="middle" font-weight="600">{escape(heading)}</text>'
        )
        step = (height - HEADING - 2 * MARGIN) / len(names)
        for place, name in enumerate(names):
            places[name] = x, MARGIN + HEADING + (place + 0.5) * step
            boxes.append(_box(name, *places[name], number))
    lines = [_line(places[start], places[end], solid) for start, end, solid in links]
    text = _text(links)
    description = f"{title}. " + " ".join(f"{line}." for line in text.splitlines())
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" role="img" '
        f'aria-label={quoteattr(title)} font-family="system-ui,sans-serif" font-size="13.5" fill="#1b1b1b">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect width="{width}" height="{height:g}" rx="8" fill="#ffffff" stroke="#d0d4d9"/>\n'
        + "\n".join([*lines, *boxes])
        + "\n</svg>\n"
    )
    return Drawing(svg, text, description)


def _text(links: Sequence[tuple[str, str, bool]]) -> str:
    targets: dict[str, list[str]] = {}
    for start, end, solid in links:
        targets.setdefault(start, []).append(end if solid else f"({end})")
    return "\n".join(f"{start} -> {', '.join(ends)}" for start, ends in targets.items())


def _box(name: str, x: float, y: float, column: int) -> str:
    return (
        f'<rect x="{x:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
        f'fill="{FILLS[column]}" stroke="{STROKES[column]}" stroke-width="1.4"/>'
        f'<text x="{x + WIDTH / 2:g}" y="{y + 4.5:g}" text-anchor="middle">{escape(name)}</text>'
    )


def _line(start: tuple[float, float], end: tuple[float, float], solid: bool) -> str:
    left, y = start
    to_x, to_y = end
    x = left + WIDTH
    middle = (x + to_x) / 2
    dashes = "" if solid else ' stroke-dasharray="4 4"'
    color, thickness = ("#243b53", 1.9) if solid else ("#7d8a96", 1.3)
    path = f"M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{thickness}"{dashes}/>'

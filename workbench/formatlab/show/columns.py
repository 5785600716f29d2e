"""A map in columns: names stacked in each, lines from one column to the next, and the same as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from formatlab.show.drawing import Drawing

LETTER = 7.0  # the width of a letter, at most in the mean
PADDING = 20
LEAST = 136  # the width of a column of short names
HEIGHT = 30
GAP = 9
BETWEEN = 60
MARGIN = 16
HEADING = 34
FILLS = ("#e8f1fb", "#fdf3e1", "#e6f4ea")
STROKES = ("#2b5d8c", "#8a5a00", "#256b3a")
INK = "#243b53"
QUIET = "#7d8a96"
FOLLOWED = ("#2b5d8c", "#6b3fa0", "#b3402a")


def columns(
    title: str,
    stacks: Mapping[str, Sequence[str]],
    links: Sequence[tuple[str, str, bool]],
    followed: Sequence[str] = (),
) -> Drawing:
    """`stacks` are up to three columns of names under their headings, left to right; names are
    unique.

    `links` are (from, to, solid) between neighbouring columns. The text has a line for each name
    that has links to the right. Of many lines the eye can follow few: those of the names `followed`,
    up to three, get a colour, and all others are thin and grey.
    """
    tallest = max(map(len, stacks.values()))
    height = HEADING + tallest * (HEIGHT + GAP) + 2 * MARGIN
    least = LEAST if len(stacks) < 3 else 0
    widths = [
        max(least, *(len(name) * LETTER + PADDING for name in (heading, *names)))
        for heading, names in stacks.items()
    ]
    colours = dict(zip(followed, FOLLOWED, strict=False))
    rights: dict[str, float] = {}
    places: dict[str, tuple[float, float]] = {}
    boxes = []
    x = float(MARGIN)
    for number, ((heading, names), wide) in enumerate(zip(stacks.items(), widths, strict=True)):
        boxes.append(
            f'<text x="{x + wide / 2:g}" y="{MARGIN + 14}" text-anchor="middle" font-weight="600">{escape(heading)}</text>'
        )
        step = (height - HEADING - 2 * MARGIN) / len(names)
        for place, name in enumerate(names):
            places[name] = x, MARGIN + HEADING + (place + 0.5) * step
            rights[name] = x + wide
            boxes.append(_box(name, places[name], wide, column=number, colour=colours.get(name)))
        x += wide + BETWEEN
    width = x - BETWEEN + MARGIN
    lines = [
        _line((rights[start], places[start][1]), places[end], solid, *_look(start, end, colours))
        for start, end, solid in sorted(links, key=lambda link: bool(colours.keys() & link[:2]))
    ]
    text = _text(links)
    description = f"{title}. " + " ".join(f"{line}." for line in text.splitlines())
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label={quoteattr(title)} font-family="system-ui,sans-serif" font-size="13.5" fill="#1b1b1b">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#ffffff" stroke="#d0d4d9"/>\n'
        + "\n".join([*lines, *boxes])
        + "\n</svg>\n"
    )
    return Drawing(svg, text, description)


def _look(start: str, end: str, colours: Mapping[str, str]) -> tuple[str, float]:
    """The colour and the thickness of a line: of the first followed name that it touches."""
    for name, colour in colours.items():
        if name in {start, end}:
            return colour, 2.2
    return (QUIET, 1.1) if colours else (INK, 1.9)


def _text(links: Sequence[tuple[str, str, bool]]) -> str:
    targets: dict[str, list[str]] = {}
    for start, end, solid in links:
        targets.setdefault(start, []).append(end if solid else f"({end})")
    return "\n".join(f"{start} -> {', '.join(ends)}" for start, ends in targets.items())


def _box(
    name: str, at: tuple[float, float], width: float, *, column: int, colour: str | None
) -> str:
    """A name in a box with the middle of its left side there, in the colour of a followed name."""
    x, y = at
    stroke = colour or STROKES[column]
    return (
        f'<rect x="{x:g}" y="{y - HEIGHT / 2:g}" width="{width:g}" height="{HEIGHT}" rx="5" '
        f'fill="{FILLS[column]}" stroke="{stroke}" stroke-width="{2.6 if colour else 1.4}"/>'
        f'<text x="{x + width / 2:g}" y="{y + 4.5:g}" text-anchor="middle">{escape(name)}</text>'
    )


def _line(
    start: tuple[float, float],
    end: tuple[float, float],
    solid: bool,
    colour: str,
    thickness: float,
) -> str:
    x, y = start
    to_x, to_y = end
    middle = (x + to_x) / 2
    dashes = "" if solid else ' stroke-dasharray="4 4"'
    path = f"M{x:g} {y:g}C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thickness}"{dashes}/>'

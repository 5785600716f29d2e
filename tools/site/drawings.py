"""The drawings of a notebook as files of the site, and the HTML that shows them."""

from __future__ import annotations

import hashlib
import html
import re

import colours

# A picture of two graphs, as `formatlab.show.pair` draws it: a name above each of two drawings.
HALF = re.compile(r'<text [^>]*>([^<]*)</text>\s*<svg x="[\d.]+" y="[\d.]+" (.*?</svg>)', re.DOTALL)
DESCRIPTION = re.compile(r"<desc>(.*?)</desc>", re.DOTALL)

Files = list[tuple[str, bytes]]


def shown(svg: str, words: str, up: str) -> tuple[str, Files]:
    """The drawing as HTML for a page that lies `up` below the top, and its files. `words` say what
    is seen; without them its title does.
    """
    halves = HALF.findall(svg)
    if len(halves) == 2:
        images, files = _beside(halves, up)
    else:
        images, files = _image(svg, words or html.escape(colours.title(svg)), up)
    if "<title>" not in svg:
        return images, files
    caption = f"<figcaption>{colours.title(svg)}</figcaption>"
    return f'<figure class="drawn">{images}{caption}</figure>', files


def _beside(halves: list[tuple[str, str]], up: str) -> tuple[str, Files]:
    """Two drawings with their names. A narrow page shows one below the other, in its own size."""
    columns, files = [], []
    for name, rest in halves:
        svg = f"<svg {rest}"
        description = html.unescape(DESCRIPTION.search(svg)[1])
        image, drawn = _image(svg, html.escape(f"{html.unescape(name)}: {description}"), up)
        columns.append(f"<div><p>{name}</p>{image}</div>")
        files += drawn
    return f'<div class="two">{"".join(columns)}</div>', files


def _image(svg: str, words: str, up: str) -> tuple[str, Files]:
    stem = f"_static/pictures/{hashlib.sha256(svg.encode()).hexdigest()[:16]}"
    files = [(f"{stem}.svg", colours.light(svg)), (f"{stem}-dark.svg", colours.dark(svg))]
    return colours.pair(f"{up}{stem}", words, svg), [(name, text.encode()) for name, text in files]

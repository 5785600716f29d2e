"""Where a notebook teaches what an interactive part shows, its page offers the part: see
site/parts.json.

Notebooks stay as they are: in JupyterLab such a link would lead nowhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
from docutils.nodes import make_id

BOX = """<aside class="offer" aria-label="Try it: {title}">
<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
<path d="{icon}" fill="none" stroke="currentColor" stroke-width="1.7"/>
</svg>
<p><strong><a href="{address}">{title}</a></strong>{says}</p>
</aside>
"""


def boxes(root: Path, page: str) -> dict[str, str]:
    """By section of the page (`notebooks/day-50/05-graph-surgery`), the box at the section's end."""
    up = "../" * page.count("/")
    return {
        section: BOX.format(icon=part["icon"], address=_address(to, up), title=title, says=says)
        for part in json.loads((root / "site" / "parts.json").read_text("utf-8"))
        for place, (to, title, says) in part["taught"].items()
        for name, section in [place.split("#")]
        if name == page
    }


def _address(to: str, up: str) -> str:
    page, _, anchor = to.partition("#")
    return f"{up}{page}.html{'#' + anchor if anchor else ''}"


def insert(content: nbformat.NotebookNode, found: Mapping[str, str]) -> None:
    """Put each box where its section ends: before the next heading that is not inside the section."""
    waiting: list[tuple[int, str]] = []
    for cell in [cell for cell in content.cells if cell.cell_type == "markdown"] if found else []:
        lines = []
        for level, title, line in headings(cell.source):
            if level:
                ended = [box for deep, box in waiting if deep >= level]
                waiting = [(deep, box) for deep, box in waiting if deep < level]
                lines += [f"{box}\n" for box in ended]
            lines.append(line)
            if level and (box := found.get(make_id(title))):
                waiting.append((level, box))
        cell.source = "\n".join(lines)
    content.cells += [nbformat.v4.new_markdown_cell(box) for _, box in waiting]


def headings(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line with its heading's level and words; the level is 0 where it is no heading."""
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        heading = None if fenced else re.match(r"(#+) (.*)", line)
        yield (len(heading[1]), heading[2], line) if heading else (0, "", line)

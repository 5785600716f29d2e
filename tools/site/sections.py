"""The sections of the reading notebooks, as texts with an address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from docutils.nodes import make_id

# The headings that every notebook has and that are about the notebook itself.
FRAME = {"What you learn and need", "Check yourself", "Recap and next"}
FEWEST_WORDS = 25


@dataclass
class Section:
    page: str
    title: str
    address: str
    words: list[str] = field(default_factory=list)

    def text(self, most: int) -> str:
        """What is searched: both titles and the first words."""
        return f"{self.page}: {self.title}. {' '.join(self.words[:most])}"


def collect(notebooks: Path) -> list[Section]:
    """Every section with enough words of its own, in the order of the course."""
    found = [
        section for path in sorted(notebooks.glob("*/*.ipynb")) for section in _of(path, notebooks)
    ]
    return [section for section in found if len(section.words) >= FEWEST_WORDS]


def _of(path: Path, notebooks: Path) -> Iterator[Section]:
    page = ""
    address = path.relative_to(notebooks.parent).with_suffix(".html").as_posix()
    current = None
    for line in _lines(path):
        heading = re.match(r"(#+) (.*)", line)
        if heading and heading[1] == "#":
            page = heading[2]
        elif heading:
            title = heading[2]
            current = (
                None if title in FRAME else Section(page, title, f"{address}#{make_id(title)}")
            )
            if current:
                yield current
        elif current:
            current.words += plain(line).split()


def _lines(path: Path) -> Iterator[str]:
    """The lines of the Markdown cells without code, tables' rules and folded answers."""
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"<details>.*?</details>|```.*?```", "", cell.source, flags=re.DOTALL)
            yield from text.splitlines()


def plain(line: str) -> str:
    """A line without Markdown's marks."""
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"[*`>|]|^-+$|---+", " ", line)

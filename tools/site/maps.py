"""The pictures of the map of the course as a part of a page: with their links, and in the colours of
the page's theme, which figures.css gives.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

# A paragraph of such pictures in a notebook.
PICTURES = re.compile(r"^(?:!\[Map of [^\]]*\]\([\w-]+\.svg\) ?)+$", re.MULTILINE)
NAME = re.compile(r"\(([\w-]+\.svg)\)")
STYLE = re.compile(r"<style>.*?</style>\n", re.DOTALL)
LINK = re.compile(r'href="([^"]+)\.ipynb"')


def inline(paths: list[Path], folder: str) -> str:
    """Return the pictures as HTML for a page that sees the folder of the notebooks at `folder`."""

    def follow(match: re.Match) -> str:
        return f'href="{posixpath.normpath(posixpath.join(folder, match[1]))}.html"'

    drawings = (LINK.sub(follow, STYLE.sub("", path.read_text("utf-8"))) for path in paths)
    return f'<div class="maps">\n{"".join(drawings)}</div>'


def in_notebook(text: str, folder: Path) -> str:
    """Return a notebook's text with the pictures in it."""
    return PICTURES.sub(
        lambda match: inline([folder / name for name in NAME.findall(match[0])], "."), text
    )


def of_course(root: Path) -> str:
    """Return the whole map for a page at the top of the site."""
    return inline(sorted((root / "notebooks").glob("map-*.svg")), "notebooks")

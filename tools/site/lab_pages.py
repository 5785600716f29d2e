"""The page of a lab: the released notebook as students get it, and the same file for download."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import notebook_pages


def page(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The lab's page. Sphinx copies the file itself when the page links to it."""
    content = nbformat.read(path, as_version=4)
    for cell in content.cells:
        cell.metadata.pop("nbgrader", None)
    yield name, notebook_pages.written(content)

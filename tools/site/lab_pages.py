"""The page of a lab: the released notebook as students get it, the same file for download, and
behind the test cells of some labs a part in which the exercise can be done.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lab_python
import nbformat
import notebook_pages

PART = """<lab-check id="try-{name}" data-exercise="{name}" data-python="{up}_static/vendor/python/" data-root="{up}">
<p>In this page the exercise <code>{name}</code> can be done without an installation: you write the functions into a
field, and the lab's own check runs in the browser and shows its ladder. That needs JavaScript, and a server where the
page was opened as a file. Otherwise download the notebook at the top of the page.</p>
</lab-check>
"""


def page(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The lab's page. Sphinx copies the file itself when the page links to it."""
    content = nbformat.read(path, as_version=4)
    if name.removeprefix("labs/").removesuffix(".ipynb") in lab_python.LABS:
        offer(content, "../" * name.count("/"))
    for cell in content.cells:
        cell.metadata.pop("nbgrader", None)
    yield name, notebook_pages.written(content)


def offer(content: nbformat.NotebookNode, up: str) -> None:
    """Put the part behind each test cell."""
    cells = []
    for cell in content.cells:
        cells.append(cell)
        role = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and role.get("grade") and not role.get("solution"):
            part = PART.format(name=lab_python.checked(cell.source), up=up)
            cells.append(nbformat.v4.new_markdown_cell(part, id=f"part-{cell.id}"))
    content.cells = cells

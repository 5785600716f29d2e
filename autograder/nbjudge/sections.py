"""Where a section of a reading notebook lies, as an address that JupyterLab opens from the notebook
of a lab.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import quote

LEVELS = 4  # how far above the lab the folder `notebooks` is looked for


def link(read: str, folder: Path) -> str:
    """The address of `day-50/02-inside#bytes`, relative to `folder`; empty when the notebook is not
    there.

    JupyterLab names a heading by its text, with hyphens for blanks, and keeps the case; the
    pointers of our findings are lower case.
    """
    page, _, section = read.partition("#")
    for above in [folder, *folder.parents[:LEVELS]]:
        path = above / "notebooks" / f"{page}.ipynb"
        if page and path.is_file():
            heading = _heading(path, section)
            fragment = f"#{quote(heading.replace(' ', '-'))}" if heading else ""
            return quote(Path(os.path.relpath(path, folder)).as_posix()) + fragment
    return ""


def problem(read: str, root: Path) -> str:
    """Why `day-50/02-inside#bytes` leads nowhere in a course; empty when it leads to a section."""
    page, _, section = read.partition("#")
    path = root / "notebooks" / f"{page}.ipynb"
    if not path.is_file():
        return f"there is no notebooks/{page}.ipynb"
    if section and not _heading(path, section):
        return f"notebooks/{page}.ipynb has no section {section!r}"
    return ""


def _heading(path: Path, section: str) -> str:
    """The text of the heading that `section` names, as it is shown; empty when there is none."""
    try:
        cells = json.loads(path.read_bytes())["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    for text in re.findall(r"^#+ (.+)$", "\n".join(sources), re.MULTILINE):
        if slug(text) == section:
            return re.sub(r"[*`]", "", text).strip()
    return ""


def slug(heading: str) -> str:
    """The id of a heading: lower case, words joined by hyphens."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")

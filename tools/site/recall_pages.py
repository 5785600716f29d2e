"""One page with the recall questions of all notebooks: every "Check yourself", with its answer
folded and a link to where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

HEAD = """# Check yourself

Here are the recall questions of all notebooks. Answer each before you open its answer. This browser keeps which ones you knew.
"""
SECTION = re.compile(r"^## Check yourself\s*$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def pages(root: Path) -> Iterator[tuple[str, bytes]]:
    parts = [HEAD]
    for path in sorted((root / "notebooks").rglob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        if found := SECTION.search(text):
            title = re.search(r"^# (.+)$", text, re.MULTILINE).group(1)
            name = path.relative_to(root).as_posix()
            parts.append(
                f"## {title}\n\n{moved(found.group(1).strip(), name)}\n\nFrom [{title}]({name}#check-yourself).\n"
            )
    yield "recall.md", "\n".join(parts).encode()


def moved(text: str, name: str) -> str:
    """The text with its links as they are from the top of the site."""
    folder = Path(name).parent

    def follow(match: re.Match) -> str:
        parts: list[str] = []
        for part in (folder / match.group(1)).as_posix().split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        return f"]({'/'.join(parts)})"

    return LINK.sub(follow, text).replace("](#", f"]({name}#")

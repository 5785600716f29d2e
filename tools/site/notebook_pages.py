"""A reading notebook as a page: pictures as files in a light and a dark form, one stream for each
cell, predictions to fill in.
"""

from __future__ import annotations

import posixpath
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import drawings
import folding
import maps
import nbformat
import offers
import viewer

MODELS = Path(__file__).resolve().parents[2] / "site" / "models"
FOUND = re.compile(r"^(Found: .*?)\. Your prediction: none yet\..*$", re.MULTILINE)
# As the first notebook says it, with plain packages only.
SAID = re.compile(r"^you said \.\.\. \| found\b", re.MULTILINE)
# With the caption that a notebook shows: the site writes one of its own.
IMAGE = re.compile(
    r'(?:<figure[^>]*>)?<img\b([^>]*?)\bsrc="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"([^>]*)>'
    r"(?:<figcaption>[^<]*</figcaption></figure>)?"
)
# A link to the ledger or one of its lines, whose anchors Sphinx does not know: it lies at the top of
# the site.
LEDGER = re.compile(r"\[([^\]]*)\]\((?:\.\./)+site/claims\.md((?:#[\w-]+)?)\)")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+[^)\s#]+)[^)]*\)")
# Folders of the repository whose files are pages.
WITH_PAGES = ("notebooks", "labs", "docs")
STYLE = re.compile(r'\sstyle="[^"]*"')


def page(
    path: Path, name: str, models: dict[str, list], offered: dict[str, str]
) -> Iterator[tuple[str, bytes]]:
    """The notebook's page and the pictures that its outputs show, by their names on the site.
    `offered` are boxes, by section.
    """
    content = folding.unfold(nbformat.read(path, as_version=4))
    up = "../" * name.count("/")
    shown = viewer.Shown(models, MODELS)
    for cell in content.cells:
        if cell.cell_type == "markdown":
            cell.source = LEDGER.sub(rf'<a href="{up}claims.html\2">\1</a>', cell.source)
            cell.source = LINK.sub(lambda match: followed(match, name), cell.source)
            cell.source = maps.in_notebook(cell.source, path.parent)
        if cell.cell_type != "code":
            continue
        join_streams(cell)
        if folding.is_prediction(cell):
            ask(cell)
        for output in cell.outputs:
            if "text/html" in output.get("data", {}):
                text, drawn = outside(output.data["text/html"], up)
                output.data["text/html"] = bare(text)
                yield from drawn
        shown.show(cell)
    offers.insert(content, offered)
    yield name, written(content)


def followed(link: re.Match, name: str) -> str:
    """The link of the page with this name; its words alone if it leads to a file of the repository
    that is no page.
    """
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[2]))
    return link[0] if inside.split("/")[0] in WITH_PAGES else link[1]


def written(content: nbformat.NotebookNode) -> bytes:
    return nbformat.writes(content).encode()


def join_streams(cell: nbformat.NotebookNode) -> None:
    """One output for each stream, as a reader would have seen it: what a carriage return has
    overwritten is gone.
    """
    kept: dict[str, nbformat.NotebookNode] = {}
    outputs = []
    for output in cell.outputs:
        if output.output_type != "stream":
            outputs.append(output)
        elif output.name in kept:
            kept[output.name].text += output.text
        else:
            kept[output.name] = output
            outputs.append(output)
    for output in kept.values():
        output.text = re.sub(r"^[^\n]*\r(?!\n)", "", output.text, flags=re.MULTILINE)
    cell.outputs = outputs


def ask(cell: nbformat.NotebookNode) -> None:
    """Mark the cell: the page puts a field above its output, keeps what the reader writes there,
    and compares.
    """
    cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), "hide-output", "prediction"})
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = SAID.sub("Found:", FOUND.sub(r"\1", output.text))


def outside(text: str, up: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The HTML with each SVG in it moved into files, for light and for dark pages, and those files."""
    files: list[tuple[str, bytes]] = []

    def moved(match: re.Match) -> str:
        svg = b64decode(match.group(2)).decode()
        alt = re.search(r'alt="([^"]*)"', match.group(0))
        shown, drawn = drawings.shown(svg, alt.group(1) if alt else "", up)
        files.extend(drawn)
        return shown

    return IMAGE.sub(moved, text), files


def bare(text: str) -> str:
    """The HTML without styles of its own: tables look as all tables of the site do."""
    return STYLE.sub("", text) if "<table" in text else text

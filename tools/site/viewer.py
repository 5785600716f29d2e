"""Netron for the pages: the same patched copy that JupyterLab serves, and under each cell the models that it built."""

from __future__ import annotations

import html
import json
from pathlib import Path

import nbformat

from workbench.show.viewer import netron_static


def collect(root: Path, static: Path) -> None:
    """Write Netron and the recorded models to `static`."""
    netron_static(static)
    models = static / "models"
    models.mkdir(parents=True, exist_ok=True)
    for path in sorted((root / "site" / "models").glob("*.onnx")):
        (models / path.name).write_bytes(path.read_bytes())


def index(root: Path, notebook: Path) -> dict[str, list]:
    """By cell id, the models that the notebook's cells built: name, hash, bytes, nodes."""
    path = root / "site" / "models" / "models.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    return known.get(notebook.relative_to(root).as_posix(), {})


def under(cell: nbformat.NotebookNode, models: list) -> None:
    """Show the cell's models under its outputs, each with a button that opens it."""
    shown = "".join(
        f'<open-graph data-model="models/{digest}.onnx" data-name="{html.escape(name)}">'
        f"<code>{html.escape(name)}</code>: {nodes} {'node' if nodes == 1 else 'nodes'}, {size} bytes</open-graph>"
        for name, digest, size, nodes in models
    )
    cell.outputs.append(nbformat.v4.new_output("display_data", {"text/html": f'<div class="graphs">{shown}</div>'}))

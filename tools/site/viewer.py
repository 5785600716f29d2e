"""Netron for the pages: the same patched copy that JupyterLab serves, and under each cell the
models that it built.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import nbformat

from formatlab.show.viewer import UnknownNetron, netron_static

FEW = 4  # models that a cell shows at once; a longer list is folded
# A cell that opens the model of a variable in Netron, where JupyterLab serves it.
OPENS = re.compile(r"^show\.netron\((\w+)", re.MULTILINE)


# What is changed in Netron's view. Its brackets around shapes are Chinese and Japanese punctuation, for
# which many machines have no font: they draw boxes. And a file that Netron cannot read is an exhibit
# here, and not a fault to report to Netron's author.
CHANGES = {
    r"\u3008": r"\u2039",
    r"\u3009": r"\u203a",
    "const report = ": "const report = false && ",
}


def collect(root: Path, static: Path) -> None:
    """Write Netron and the recorded models to `static`."""
    change(netron_static(static) / "view.js")
    models = static / "models"
    models.mkdir(parents=True, exist_ok=True)
    for path in sorted((root / "site" / "models").glob("*.onnx")):
        (models / path.name).write_bytes(path.read_bytes())


def change(script: Path) -> None:
    """Make the changes to Netron's view. Raises UnknownNetron where there is nothing to change."""
    text = script.read_text("utf-8")
    for old, new in CHANGES.items():
        if old not in text:
            raise UnknownNetron(f"Netron's view.js has no {old}; install the locked version")
        text = text.replace(old, new)
    script.write_text(text, "utf-8")


def index(notebook: Path) -> dict[str, list]:
    """By cell id, the models that the notebook's cells built: name, hash, bytes, nodes."""
    record = notebook.parent / ".recorded" / f"{notebook.stem}.json"
    return json.loads(record.read_text(encoding="utf-8"))["cells"] if record.is_file() else {}


class Shown:
    """Shows a notebook's models, cell after cell. `models` are those that each cell built, by its
    id; their files lie in `folder`.
    """

    def __init__(self, models: dict[str, list], folder: Path):
        self.models = models
        self.folder = folder
        self.latest: dict[str, list] = {}

    def show(self, cell: nbformat.NotebookNode) -> None:
        """Add buttons for the models that the cell built, and for the one that it opens in Netron,
        in place of the line for JupyterLab.
        """
        built = self.models.get(cell.id, [])
        self.latest |= {model[0]: model for model in built}
        opened = [self.latest[name] for name in OPENS.findall(cell.source) if name in self.latest]
        if opened:
            cell.outputs = []
        if shown := built + [model for model in opened if model not in built]:
            under(cell, shown, self.folder)


def under(cell: nbformat.NotebookNode, models: list, folder: Path) -> None:
    """Show the models under the cell's outputs, each with a button that opens it."""
    shown = "".join(
        f'<open-graph data-model="models/{digest}.onnx" data-name="{html.escape(name)}">'
        f"<code>{html.escape(name)}</code>: {nodes} {'node' if nodes == 1 else 'nodes'}, "
        f"{stored(size, (folder / f'{digest}.onnx').stat().st_size)}</open-graph>"
        for name, digest, size, nodes in models
    )
    listed = f'<div class="graphs">{shown}</div>'
    if len(models) > FEW:
        listed = f"<details><summary>{len(models)} models</summary>{listed}</details>"
    cell.outputs.append(nbformat.v4.new_output("display_data", {"text/html": listed}))


def stored(size: int, kept: int) -> str:
    """The model's size, and what of it the page loads: of a large one its outline."""
    if kept == size:
        return f"{size} bytes"
    return (
        f"{size / 1e6:.1f} MB. The page loads the graph alone, {kept / 1e3:.0f} kB: "
        "each large tensor with its name, type and shape, and without its numbers."
    )

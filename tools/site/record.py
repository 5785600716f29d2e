"""Record the models that reading notebooks build: `python tools/site/record.py [NOTEBOOK…]` writes site/models.

It runs each notebook as `make notebooks` does and leaves the notebook as it is. After each cell it looks at the global variables that hold
a model: one that is new or changed goes to site/models, under its hash, and into the notebook's index, by the cell's id. Models above a
size are left out: a page would be heavy, and the viewer slow.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import notebook_tools  # noqa: E402

MODELS = ROOT / "site" / "models"
LARGEST = 65_536

# It stands in front of a notebook's first cell and is written for the kernel, where only this text is known.
WATCH = """
def _watch(folder, largest, seen={}):
    import hashlib, json, pathlib
    from onnx import ModelProto
    from workbench.models import to_bytes

    def look(result):
        found = []
        for name, value in list(get_ipython().user_ns.items()):
            if not name.startswith("_") and isinstance(value, ModelProto) and value.graph.node:
                try:
                    data = to_bytes(value)  # without what the exporter notes of this machine: the paths in its stack traces
                except ValueError:  # its data lies in another file: it was made by hand, and no exporter wrote into it
                    data = value.SerializeToString(deterministic=True)
                digest = hashlib.sha256(data).hexdigest()[:16]
                if seen.get(name) != digest:
                    seen[name] = digest
                    if len(data) <= largest:
                        (pathlib.Path(folder) / f"{digest}.onnx").write_bytes(data)
                        found.append([name, digest, len(data), len(value.graph.node)])
        with open(pathlib.Path(folder) / "cells.jsonl", "a") as log:
            log.write(json.dumps(found) + "\\n")

    get_ipython().events.register("post_run_cell", look)


"""


def main() -> None:
    paths = [Path(name).resolve() for name in sys.argv[1:]] or notebook_tools.runnable_notebooks()
    for path in paths:
        index = record(path)
        print(f"{path.relative_to(ROOT)}: {sum(map(len, index.values()))} models in {len(index)} cells", flush=True)


def record(path: Path) -> dict[str, list]:
    """Run the notebook; write its models and its index. Returns the index: by cell id, [name, hash, bytes, nodes] of each model."""
    notebook = notebook_tools.read(path)
    with tempfile.TemporaryDirectory() as folder:
        watch = nbformat.v4.new_code_cell(f"{WATCH}_watch({folder!r}, {LARGEST})")
        notebook.cells.insert(0, watch)
        notebook_tools.execute(notebook, beside=path.parent)
        found = [json.loads(line) for line in (Path(folder) / "cells.jsonl").read_text().splitlines()]
        cells = [cell for cell in notebook.cells[1:] if cell.cell_type == "code"]
        # The first line is what the hook saw after its own cell.
        index = {cell.id: models for cell, models in zip(cells, found[-len(cells) :], strict=True) if models}
        MODELS.mkdir(exist_ok=True)
        for name in {model[1] for found in index.values() for model in found}:
            (MODELS / f"{name}.onnx").write_bytes((Path(folder) / f"{name}.onnx").read_bytes())
    write(path, index)
    return index


def write(path: Path, index: dict[str, list]) -> None:
    """Put the notebook's index into models.json, and remove models that no index names any more."""
    table = MODELS / "models.json"
    known = json.loads(table.read_text()) if table.is_file() else {}
    known[path.relative_to(ROOT).as_posix()] = index
    table.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    named = {model[1] for cells in known.values() for found in cells.values() for model in found}
    for file in MODELS.glob("*.onnx"):
        if file.stem not in named:
            file.unlink()


if __name__ == "__main__":
    main()

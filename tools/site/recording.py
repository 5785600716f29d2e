"""Record the models that reading notebooks build: `python tools/site/recording.py [NOTEBOOK…]` writes
site/models.

It runs each notebook as `make notebooks` does and leaves the notebook as it is; `make notebooks`
and `make zoo`, which write outputs, record too. `watch.py` looks at the kernel after each cell. A
model goes to site/models under its hash, and into the index by the cell's id. The index keeps a
hash of the notebook's code; when that changes, a test asks for a new recording. It keeps one of the
run's outputs too, which the notebook's own have to be, and one of what the run depended on beside
its code: while that is the same, another run can bring nothing new.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import notebook_tools  # noqa: E402

from nbjudge.grading.execution.sandboxes import imports  # noqa: E402

LOCK = ROOT / "requirements.lock"
# Packages that bring one file, which a module of ours accepts by its hash: no version of them can
# change what a page shows, and the module is counted.
ACCEPTED_BY_HASH = ("silero-vad==",)
MODELS = ROOT / "site" / "models"
WATCH = Path(__file__).with_name("watch.py")
OWN = {
    "formatlab": ROOT / "workbench" / "formatlab",
    "formatlab_exercises": ROOT / "exercises",
    "nbjudge": ROOT / "autograder" / "nbjudge",
}


def main() -> None:
    paths = [Path(name).resolve() for name in sys.argv[1:]] or notebook_tools.runnable_notebooks()
    for path in paths:
        run(path)
        cells = index()[name(path)]["cells"]
        print(
            f"{name(path)}: {sum(map(len, cells.values()))} models in {len(cells)} cells",
            flush=True,
        )


def run(path: Path, keep: Callable[[Path], object] = lambda folder: None) -> NotebookNode:
    """The notebook, executed; its models are written, and its part of the index: by cell id, [name,
    hash, bytes, nodes] of each model.
    """
    notebook = notebook_tools.read(path)
    with tempfile.TemporaryDirectory() as folder:
        executed = notebook_tools.execute(
            notebook, keep, first=[WATCH], settings={"COURSE_WATCH": folder}
        )
        found = [
            json.loads(line) for line in (Path(folder) / "cells.jsonl").read_text().splitlines()
        ]
        cells = [
            cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()
        ]
        models = {cell.id: each for cell, each in zip(cells, found, strict=True) if each}
        MODELS.mkdir(exist_ok=True)
        for digest in {model[1] for each in models.values() for model in each}:
            (MODELS / f"{digest}.onnx").write_bytes((Path(folder) / f"{digest}.onnx").read_bytes())
    outputs = notebook_tools.digest_of_outputs(executed)
    told = {"code": code(notebook), "libraries": libraries(notebook), "outputs": outputs}
    write(path, {**told, "cells": models})
    return executed


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def index() -> dict[str, dict]:
    """What is recorded, by notebook."""
    table = MODELS / "models.json"
    return json.loads(table.read_text()) if table.is_file() else {}


def code(notebook: NotebookNode) -> str:
    """A hash of what the notebook runs."""
    return hashlib.sha256(
        "\0".join(cell.source for cell in notebook.cells if cell.cell_type == "code").encode()
    ).hexdigest()[:16]


def libraries(notebook: NotebookNode) -> str:
    """A hash of what its code uses: modules of this course, and the versions of all others."""
    pins = LOCK.read_text(encoding="utf-8").splitlines(keepends=True)
    total = hashlib.sha256("".join(p for p in pins if not p.startswith(ACCEPTED_BY_HASH)).encode())
    for name, path in sorted(modules(imports(notebook)).items()):
        total.update(name.encode() + path.read_bytes())
    return total.hexdigest()[:16]


def modules(names: Iterable[str]) -> dict[str, Path]:
    """The modules of this repository among `names`, and those that they import, in functions too."""
    found: dict[str, Path] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name in found or (path := file_of(name)) is None:
            continue
        found[name] = path
        left.append(name.rpartition(".")[0])
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                left += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                left += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def file_of(name: str) -> Path | None:
    """The file of a module of this repository; None for any other name."""
    package, *rest = name.split(".")
    if package not in OWN:
        return None
    path = OWN[package].joinpath(*rest)
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def is_of_today(path: Path) -> bool:
    """Whether the last recorded run was one of this code, with these libraries."""
    notebook, last = notebook_tools.read(path), index().get(name(path), {})
    return last.get("code") == code(notebook) and last.get("libraries") == libraries(notebook)


def write(path: Path, recorded: dict) -> None:
    """Put the notebook's models into the index, and remove those that no notebook names any more."""
    known = index() | {name(path): recorded}
    (MODELS / "models.json").write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    named = {
        model[1] for each in known.values() for found in each["cells"].values() for model in found
    }
    for file in MODELS.glob("*.onnx"):
        if file.stem not in named:
            file.unlink()


if __name__ == "__main__":
    main()

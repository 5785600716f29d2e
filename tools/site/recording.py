"""The record of a reading notebook's last run, which lies beside it in `.recorded`, and the models
that the run built, in site/models. `make notebooks` and `make zoo` write both.

`watch.py` looks at the kernel after each cell. A model goes to site/models under its hash, and into
the record by the cell's id. The record holds three hashes as well:

1. `code`, of the notebook's own cells;
2. `libraries`, of the locked versions and of the syntax trees, without comments and docstrings, of
   all modules of ours that the cells' imports reach;
3. `outputs`, of what the run gave, which is what the notebook has to hold.

A page whose `code` or `libraries` is another one today is stale: a run of it may give something new.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from nbjudge.grading.execution.sandboxes import imports  # noqa: E402
from tests import notebook_tools  # noqa: E402

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
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def run(path: Path, keep: Callable[[Path], object] = lambda folder: None) -> NotebookNode:
    """Return the notebook, executed. Its models and its record are written: `cells` holds, by cell
    id, [name, hash, bytes, nodes] of each model.
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
    hashes = {"code": code(notebook), "libraries": libraries(notebook), "outputs": outputs}
    write(path, {**hashes, "cells": models})
    return executed


def file_of_record(path: Path) -> Path:
    return path.parent / ".recorded" / f"{path.stem}.json"


def recorded(path: Path) -> dict:
    """Return the record of the notebook at `path`, empty if it has none."""
    record = file_of_record(path)
    return json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}


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
        total.update(f"{name}\0{shape_of(path)}".encode())
    return total.hexdigest()[:16]


@cache
def shape_of(path: Path) -> str:
    return shape(ast.parse(path.read_bytes()))


def shape(node: object) -> str:
    """Return what a syntax tree computes: no comments, no docstrings, no places, and nothing that
    only some versions of Python write into a tree.
    """
    if isinstance(node, list):
        return f"[{' '.join(map(shape, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = node.body[1:]
    found = [
        f"{name}={shape(value)}"
        for name, value in fields.items()
        if value not in (None, []) and name not in ("kind", "type_comment")
    ]
    return f"{type(node).__name__}({' '.join(found)})"


def modules(names: Iterable[str]) -> dict[str, Path]:
    """The modules of this repository among `names`, and those that they import, in functions
    too, but not those that they import for annotations alone.
    """
    found: dict[str, Path] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name in found or (path := file_of(name)) is None:
            continue
        found[name] = path
        left += [name.rpartition(".")[0], *imported_by(path)]
    return found


class WithoutTypes(ast.NodeTransformer):
    """Leave out what is imported for annotations alone, which no run reaches."""

    def visit_If(self, node: ast.If) -> ast.If | list[ast.stmt]:
        is_for_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return node.orelse if is_for_types else node


@cache
def imported_by(path: Path) -> list[str]:
    found = []
    for node in ast.walk(WithoutTypes().visit(ast.parse(path.read_bytes()))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def file_of(name: str) -> Path | None:
    """The file of a module of this repository; None for any other name."""
    package, *rest = name.split(".")
    if package not in OWN:
        return None
    path = OWN[package].joinpath(*rest)
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def is_stale(path: Path) -> bool:
    """Decide whether the last recorded run was one of other code. The zoo's page has an environment
    of its own, so of that page the cells alone count.
    """
    notebook, last = notebook_tools.read(path), recorded(path)
    if last.get("code") != code(notebook):
        return True
    return path != notebook_tools.ZOO and last.get("libraries") != libraries(notebook)


def write(path: Path, record: dict) -> None:
    """Write the notebook's record, and remove the models that no record names any more."""
    file = file_of_record(path)
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    wanted = named()
    for model in MODELS.glob("*.onnx"):
        if model.stem not in wanted:
            model.unlink()


def named() -> set[str]:
    """Return the hashes of all models that a record names."""
    return {
        model[1]
        for path in notebook_tools.reading_notebooks()
        for found in recorded(path).get("cells", {}).values()
        for model in found
    }

"""What a lab's page needs to run the lab's own check: Pyodide, NumPy for it, and the part of the
course that a student's machine has, too.

1. `vendor` has put Pyodide into the folder, and `wheels` fetches NumPy.
2. `course.zip` holds the modules that are loaded when these exercises are checked here, and no
   other; the references that ship with the labs; and the modules of site/python. Stored answers,
   solutions and the seeds of a class are in no package that students get, so they are not here.
3. `labs.json` tells the page what there is: each exercise's cells to write, and the sizes. Where
   NumPy could not be fetched it says so, and the page offers the lab for download instead.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import nbformat
import wheels
from vendor import CannotFetch

# The labs that are checked in their pages, each with those of its locked cells that answers build
# on. What these cells import and the page does not have is left out.
LABS = {
    "lab-7-01/quantize": ("imports",),
    "day-50/safetensors": ("imports", "sizes"),
}
PACKAGES = ("nbjudge", "formatlab", "formatlab_exercises")
COURSE, LIST = "course.zip", "labs.json"
# Zip files that are made twice are the same bytes.
LONG_AGO = (1980, 1, 1, 0, 0, 0)
LOADED = """
import json, sys
from nbjudge import checking, exercises, practice
from nbjudge.rungs import ladder
for name in sys.argv[2:]:
    exercise = exercises.get(name)
    practice.cases(exercise, 1)
    exercise.public_cases(), exercise.rungs
own = json.loads(sys.argv[1])
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print(json.dumps({name: file for name, file in files.items() if name.partition(".")[0] in own}))
"""


def collect(root: Path, kept: Path, target: Path) -> None:
    """Write NumPy, `course.zip` and `labs.json` beside Pyodide, which lies in `target` already.
    `kept` is where wheels stay between builds.
    """
    listed = {"exercises": {}, "lacks": ""}
    for lab in LABS:
        listed["exercises"] |= cells(root, lab)
    try:
        wheel = wheels.fetch(
            "numpy", target / "pyodide-lock.json", root / "site" / "wheels.json", kept
        )
    except CannotFetch as problem:
        print(f"note: the labs are not checked in their pages. {problem}", file=sys.stderr)
        listed["lacks"] = "NumPy"
    else:
        (target / wheel.name).write_bytes(wheel.read_bytes())
        course(root, list(listed["exercises"]), target / COURSE)
        listed |= sizes(target)
        listed["files"] = sorted(path.name for path in target.iterdir())
    (target / LIST).write_text(json.dumps(listed), "utf-8")


def sizes(folder: Path) -> dict[str, object]:
    """How many bytes a reader loads, as they are and packed as hosts send them; and a name for these
    files that changes when one of them does.
    """
    digest, plain, packed = hashlib.sha256(), 0, 0
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        digest.update(content)
        plain += len(content)
        packed += min(len(content), len(gzip.compress(content, 6)))
    return {"bytes": plain, "packed": packed, "version": digest.hexdigest()[:16]}


def cells(root: Path, lab: str) -> dict[str, dict]:
    """By exercise: the lab, the code that it is given, and the cells to write, each with its id, its
    functions and its stub.
    """
    notebook = nbformat.read(root / "labs" / f"{lab}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    by_id = {cell.id: cell.source for cell in code}
    given = "\n\n".join(available(by_id[name]) for name in LABS[lab])
    found, waiting = {}, []
    for cell in code:
        role = cell.metadata.get("nbgrader", {})
        if role.get("solution"):
            names = [each.name for each in ast.parse(cell.source).body if _is_function(each)]
            waiting.append({"id": cell.id, "functions": names, "stub": cell.source})
        elif role.get("grade"):
            exercise = checked(cell.source)
            found[exercise] = {"lab": lab, "given": given, "cells": waiting}
            waiting = []
    return found


def checked(source: str) -> str:
    """The exercise that a test cell calls `check` on."""
    [call] = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Call)]
    return call.args[0].value


def _is_function(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef)


def available(source: str) -> str:
    """The cell without the imports of packages that the page does not have, and without what calls
    them.
    """
    lines = source.splitlines()
    kept = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module] if isinstance(node, ast.ImportFrom) else _imported(node)
            roots = {str(name).partition(".")[0] for name in names}
            if not roots <= {*sys.stdlib_module_names, "numpy"}:
                continue
        elif isinstance(node, ast.Expr):
            continue
        kept.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
    return "\n".join(kept)


def _imported(node: ast.Import) -> list[str]:
    return [each.name for each in node.names]


def course(root: Path, exercise_ids: list[str], path: Path) -> None:
    """Write `course.zip`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(contents(root, exercise_ids)):
            archive.writestr(
                zipfile.ZipInfo(name, LONG_AGO), content, compress_type=zipfile.ZIP_DEFLATED
            )


def contents(root: Path, exercise_ids: list[str]) -> Iterator[tuple[str, bytes]]:
    """The files of `course.zip`, by their names in it."""
    for module, file in modules(exercise_ids).items():
        path = module.replace(".", "/")
        is_package = Path(file).name == "__init__.py"
        yield f"{path}/__init__.py" if is_package else f"{path}.py", Path(file).read_bytes()
    for path in (root / "site" / "python").glob("*.py"):
        yield path.name, path.read_bytes()
    labs = (root / "labs" / Path(lab).parent / "references" for lab in LABS)
    for folder in sorted(set(labs)):
        for name in exercise_ids:
            for path in [*folder.glob(f"{name}.safetensors"), *folder.glob(f"practice/{name}-*")]:
                inside = path.relative_to(folder.parent).as_posix()
                yield f"formatlab_exercises/{inside}", path.read_bytes()
    about = metadata.distribution("formatlab-exercises")
    for name in ("METADATA", "entry_points.txt"):
        text = about.read_text(name) or ""
        yield f"formatlab_exercises-{about.version}.dist-info/{name}", text.encode()


def modules(exercise_ids: list[str]) -> Mapping[str, str]:
    """The course's modules that a check of these exercises loads, with their files."""
    command = [sys.executable, "-P", "-c", LOADED, json.dumps(PACKAGES), *exercise_ids]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name: file for name, file in json.loads(done.stdout).items() if file}

"""`export`: one file that holds a module's computation, for any number of rows, at the opset that
was asked for.

1. One self-contained file at `path`, valid at opset 18, or an exception and no file.
2. Its inputs and its output have the names and types that the task gives, and an open first axis
   that really is open.
3. It computes what the module computes in evaluation mode, whatever mode the module arrives in; the
   module stays as it came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from formatlab_exercises.shared import exporting
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "export_model(module, example, path) -> None"
MODEL, NEWER, REPORT = "model.onnx", "newer.onnx", "report.json"
OUTERMOST = "the module itself"
LARGEST = 4 << 20
# What lies at the path before a module is handed over that has no valid file.
OLDER = b"an older model"


class Export(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 60

    def prepare(self) -> None:
        exporting.load()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The file, and `report.json`: what else the call did.

        A module that has no valid file goes first, with a path of its own, at which an older file
        lies.
        """
        exporting.prepare()
        export, recipe = functions["export_model"], case.parameters
        files: dict[str, bytes] = {}
        reports: dict[str, Any] = {"newer": None}
        if recipe["newer"]:
            path = _place(scratch / "newer", recipe)
            path.write_bytes(OLDER)
            error, reports["newer"] = _attempt(export, recipe["newer"], path, recipe["as_text"])
            reports["newer"]["raised"] = error is not None
            files |= _read(path, NEWER)
        path = _place(scratch / "export", recipe)
        error, reports["module"] = _attempt(export, recipe, path, recipe["as_text"])
        if error is not None:
            raise error
        return {REPORT: json.dumps(reports).encode(), **files, **_read(path, MODEL)}


def _place(folder: Path, recipe: Mapping) -> Path:
    folder.mkdir()
    return folder / recipe["file"]


def _attempt(
    export: Callable, recipe: Mapping, path: Path, as_text: bool
) -> tuple[Exception | None, dict]:
    """What the student's function raised, if anything, and what it changed besides the file."""
    from formatlab_exercises.export import modules

    module, example = modules.module_of(recipe), modules.example_of(recipe)
    before, error = _state(module), None
    try:
        export(module, example, str(path) if as_text else path)
    except Exception as raised:
        error = raised
    after = _state(module)
    changed = [
        [name for name in was if now.get(name) != was[name]]
        for was, now in zip(before, after, strict=True)
    ]
    beside = sorted(entry.name for entry in path.parent.iterdir() if entry != path)[:8]
    return error, {"modes": changed[0], "tensors": changed[1], "beside": beside}


def _state(module) -> tuple[dict, dict]:
    """What a call must leave as it is: the mode of each submodule, and the bytes of every parameter
    and buffer.
    """
    modes = {name or OUTERMOST: each.training for name, each in module.named_modules()}
    tensors = {
        name: (str(tensor.dtype), tensor.numpy(force=True).tobytes())
        for name, tensor in module.state_dict().items()
    }
    return modes, tensors


def _read(path: Path, name: str) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    if path.stat().st_size > LARGEST:
        raise WrongType("a file of the module's size", f"one of {path.stat().st_size >> 20} MB")
    return {name: path.read_bytes()}


EXERCISE = Export()

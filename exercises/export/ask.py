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
from pathlib import Path

from formatlab_exercises.shared import exporting
from nbjudge.asking import raised
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "export_model(module, example, path) -> None"
REPORT = "report.json"
OUTERMOST = "the module itself"
LARGEST = 4 << 20
# What lies at the path before a module is handed over.
OLDER = b"an older model"


def source_of(place: int) -> str:
    """The file of a case with the source of its first or second module."""
    return f"{place}.py"


def model_of(place: int) -> str:
    """The file of an answer with what lies at the path after the call on that module."""
    return f"{place}.onnx"


class Export(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 60
    # Which module has a valid file is none of them.
    needs = ("modules", "file", "as_text")

    def prepare(self) -> None:
        exporting.load()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """What lies at the path after each call, and `report.json`: what else the call did, and
        what it raised.

        A case hands over one module or two, in a drawn order, each with a path of its own at which
        an older file lies. Of some modules no valid file can be made, and nothing here tells which.
        """
        exporting.prepare()
        files: dict[str, bytes] = {}
        reports = []
        for place in range(len(case.parameters["modules"])):
            folder = scratch / str(place)
            folder.mkdir()
            path = folder / case.parameters["file"]
            path.write_bytes(OLDER)
            error, report = _attempt(functions, case, place, path)
            answer = None if error is None else raised(error, functions, scratch)
            ended = answer and {"outcome": answer.outcome, "error": dict(answer.error)}
            reports.append({**report, "raised": ended})
            files |= _read(path, model_of(place))
        return {REPORT: json.dumps({"modules": reports}).encode(), **files}


def _attempt(
    functions: Functions, case: Case, place: int, path: Path
) -> tuple[Exception | None, dict]:
    """What the student's function raised, if anything, and what it changed besides the file."""
    from formatlab_exercises.export import building

    recipe = case.parameters["modules"][place]
    module = building.module_of(case.files[source_of(place)], recipe)
    example = building.example_of(recipe)
    before, error = _state(module), None
    try:
        functions["export_model"](
            module, example, str(path) if case.parameters["as_text"] else path
        )
    except Exception as came:
        error = came
    after = _state(module)
    changed = [
        [name for name in was if now.get(name) != was[name]]
        for was, now in zip(before, after, strict=True)
    ]
    beside = sorted(entry.name for entry in path.parent.iterdir() if entry != path)[:8]
    report = dict(zip(("modes", "tensors", "gradients"), changed, strict=True))
    return error, {**report, "beside": beside}


def _state(module) -> tuple[dict, dict, dict]:
    """What a call must leave as it is: the mode of each submodule, the bytes of every parameter and
    buffer, and whether a parameter is one that can be trained.
    """
    modes = {name or OUTERMOST: each.training for name, each in module.named_modules()}
    tensors = {
        name: (str(tensor.dtype), tensor.numpy(force=True).tobytes())
        for name, tensor in module.state_dict().items()
    }
    gradients = {name: each.requires_grad for name, each in module.named_parameters()}
    return modes, tensors, gradients


def _read(path: Path, name: str) -> dict[str, bytes]:
    if not path.is_file():
        return {}
    if path.stat().st_size > LARGEST:
        raise WrongType("a file of the module's size", f"one of {path.stat().st_size >> 20} MB")
    return {name: path.read_bytes()}


EXERCISE = Export()

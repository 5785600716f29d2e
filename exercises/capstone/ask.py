"""`capstone`: one model through the whole pipeline, and a passport that tells the truth about every
file.

1. `fp32.onnx`, `fp16.onnx`, `int8.onnx` and `weights.safetensors` are written into the directory.
   Each ONNX file computes what the module computes in evaluation mode, for any number of rows, and
   takes and gives float32.
2. The passport describes the four files: hash, size, producer, versions, signature, elements by
   dtype, SQNR.
3. It names the first file that meets the budget, or says that none does.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from formatlab_exercises.capstone import passport
from formatlab_exercises.shared import exporting
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "convert(module, example, budget, directory) -> dict"
PASSPORT, REPORT = "passport.json", "report.json"
WEIGHTS, EXAMPLE = "weights.safetensors", "example.safetensors"
Weights = dict[str, np.ndarray]
LARGEST_FILE = 16 << 20
LARGEST_PASSPORT = 64 << 10


class Capstone(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 85

    def prepare(self) -> None:
        exporting.load()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        import torch

        from formatlab_exercises.capstone import modules

        exporting.prepare()
        given = case.parameters
        module = modules.build(
            given["architecture"], given["sizes"], weights(case), given["training"]
        )
        rows_given, directory = torch.from_numpy(example(case)), scratch / "artefacts"
        modes = _modes(module)
        state = {name: value.clone() for name, value in module.state_dict().items()}
        rows = rows_given.clone()
        directory.mkdir()
        found = functions["convert"](module, rows_given, dict(given["budget"]), directory)
        text = passport.to_json(found)
        if len(text) > LARGEST_PASSPORT:
            raise WrongType("a passport of some kilobytes", f"one of {len(text)} bytes")
        now, modes_now = module.state_dict(), _modes(module)
        changed = {
            "mode": modes_now[""] != modes[""],
            "parts": modes_now != modes,
            "weights": state.keys() != now.keys()
            or any(not torch.equal(state[name], now[name]) for name in state),
            "example": not torch.equal(rows_given, rows),
        }
        written = [
            path for path in sorted(directory.iterdir()) if path.is_file() and not path.is_symlink()
        ]
        files = {path.name: _read(path) for path in written if path.name in passport.FILES}
        data = [path.name for path in written if path.suffix == ".data"]
        report = {"changed": [what for what, is_so in changed.items() if is_so], "data": bool(data)}
        return {PASSPORT: text, REPORT: json.dumps(report).encode(), **files}


def weights(case: Case) -> Weights:
    """The module's state, by the names of its `state_dict`."""
    return load(case.files[WEIGHTS])


def example(case: Case) -> np.ndarray:
    """The rows that the student gets: float32, `ROWS` along the first axis."""
    return load(case.files[EXAMPLE])["example"]


def _modes(module) -> dict[str, bool]:
    return {name: part.training for name, part in module.named_modules()}


def _read(path: Path) -> bytes:
    if path.stat().st_size > LARGEST_FILE:
        raise WrongType(
            "files of about the module's size", f"one of {path.stat().st_size >> 20} MB"
        )
    return path.read_bytes()


EXERCISE = Capstone()

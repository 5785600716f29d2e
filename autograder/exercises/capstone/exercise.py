"""`capstone`: one model through the whole pipeline, and a passport that tells the truth about every file.

1. `fp32.onnx`, `fp16.onnx`, `int8.onnx` and `weights.safetensors` are written into the directory. Each ONNX file computes what the module
   computes in evaluation mode, for any number of rows, and takes and gives float32.
2. The passport describes the four files: hash, size, producer, versions, signature, elements by dtype, SQNR.
3. It names the first file that meets the budget, or says that none does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType
from autograder.exercises.capstone import audit, cases, passport, rungs
from autograder.rungs import outcome, quantized

LARGEST_FILE = 16 << 20
LARGEST_PASSPORT = 64 << 10


class Capstone(Exercise):
    id: ClassVar[str] = cases.EXERCISE
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "capstone"
    grade_id: ClassVar[str] = "check-capstone"
    functions: ClassVar[Mapping[str, str]] = {"convert": rungs.SIGNATURE}
    minutes: ClassVar[int] = 75
    # A passport that does not tell the truth costs what stands behind `quality`; an artefact that is missing or fake caps the rest.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(rungs.SIGNATURE, passport.PAGE), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.6, rungs.is_passport, cap_all=0.0),
        RungSpec("loads", 1.2, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec("contract", 1.2, rungs.keeps_contract, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.2, rungs.is_what_it_says, cap_some=0.7, cap_all=0.5),
        RungSpec("numerics", 1.4, rungs.computes_the_same, cap_some=0.6, cap_all=0.4),
        RungSpec("quality", 2.4, audit.tells_the_truth),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        import torch

        from autograder.exercises.capstone import modules

        given = case.parameters
        module = modules.build(given["architecture"], given["sizes"], cases.weights(case), given["training"])
        example, directory = torch.from_numpy(cases.example(case)), scratch / "artefacts"
        modes, state, rows = _modes(module), {name: value.clone() for name, value in module.state_dict().items()}, example.clone()
        directory.mkdir()
        found = functions["convert"](module, example, dict(given["budget"]), directory)
        text = passport.to_json(found)
        if len(text) > LARGEST_PASSPORT:
            raise WrongType("a passport of some kilobytes", f"one of {len(text)} bytes")
        now = module.state_dict()
        changed = {
            "mode": _modes(module) != modes,
            "weights": state.keys() != now.keys() or any(not torch.equal(state[name], now[name]) for name in state),
            "example": not torch.equal(example, rows),
        }
        written = [path for path in sorted(directory.iterdir()) if path.is_file() and not path.is_symlink()]
        files = {path.name: _read(path) for path in written if path.name in passport.FILES}
        data = [path.name for path in written if path.suffix == ".data"]
        report = {"changed": [what for what, is_so in changed.items() if is_so], "data": bool(data)}
        return {rungs.PASSPORT: text, rungs.REPORT: json.dumps(report).encode(), **files}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the module computes, as the reference's float32 artefact gives it, for the example and for fresh rows."""
        rows = [{rungs.INPUT: cases.example(case)}, {rungs.INPUT: cases.fresh(case)}]
        [example], [fresh] = quantized.evaluate(answer.files["fp32.onnx"], rows)
        return {"example": example, "fresh": fresh}


def _modes(module) -> dict[str, bool]:
    return {name: part.training for name, part in module.named_modules()}


def _read(path: Path) -> bytes:
    if path.stat().st_size > LARGEST_FILE:
        raise WrongType("files of about the module's size", f"one of {path.stat().st_size >> 20} MB")
    return path.read_bytes()


EXERCISE = Capstone()

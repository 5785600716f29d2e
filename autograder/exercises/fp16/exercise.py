"""How the two functions of `fp16` are called, and what a checker keeps of the reference's answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from onnx import ModelProto
from safetensors.numpy import load

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType
from autograder.exercises.fp16 import cases, rungs
from autograder.exercises.fp16.evaluate import evaluate, inputs_of
from autograder.exercises.fp16.rungs import NAMES, SIGNATURES
from autograder.rungs import numerics
from autograder.rungs.surgery import MODEL, REPORT

LARGEST_NAMES = 1 << 16


class Fp16(Exercise):
    id: ClassVar[str] = cases.ID
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "fp16"
    grade_id: ClassVar[str] = "check-fp16"
    functions: ClassVar[Mapping[str, str]] = SIGNATURES
    minutes: ClassVar[int] = 45
    # One function alone is worth half, a model that was not converted 40 %. Numbers, nodes or names that are wrong cost 40 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, rungs.exists, cap_some=0.5, cap_all=0.0),
        RungSpec("type", 0.2, rungs.is_answer, cap_some=0.4, cap_all=0.0),
        RungSpec("loads", 0.8, rungs.loads, cap_some=0.5, cap_all=0.1),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.2, rungs.is_float16, cap_some=0.6, cap_all=0.6),
        RungSpec("numerics", 1.2, rungs.means_the_same, cap_some=0.6, cap_all=0.1),
        RungSpec("quality", 0.2, rungs.is_clean, cap_some=0.95, cap_all=0.95),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx` or `names.json`, and `report.json`: was the argument changed?"""
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        if case.parameters["ask"] == "convert":
            files = {MODEL: _serialise(functions["to_fp16"](model), most=2 * len(before) + (1 << 20))}
        else:
            feeds = load(case.files[cases.FEEDS])
            files = {NAMES: _names(functions["find_overflow"](model, {name: array.copy() for name, array in feeds.items()}))}
        changed = model.SerializeToString(deterministic=True) != before
        return {**files, REPORT: json.dumps({"argument_changed": changed, "again": "same"}).encode()}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The converted model's outputs on the case's inputs, `<run>/<position>`; or the names, as JSON."""
        if case.parameters["ask"] == "convert":
            return numerics.pack([evaluate(answer.files[MODEL], feeds) for feeds in inputs_of(case)])
        return {"names": np.frombuffer(answer.files[NAMES], np.uint8)}


def _serialise(result: object, most: int) -> bytes:
    if not isinstance(result, ModelProto):
        raise WrongType("an onnx.ModelProto", type(result).__name__)
    if result.ByteSize() > most:
        raise WrongType("an onnx.ModelProto of at most the argument's size", f"one of {result.ByteSize() >> 10} KB")
    return result.SerializeToString(deterministic=True)


def _names(result: object) -> bytes:
    if not isinstance(result, (list, tuple)):
        raise WrongType("a list of names", type(result).__name__)
    odd = next((name for name in result if not isinstance(name, str)), None)
    if odd is not None:
        raise WrongType("a list of names, each a str", f"a {type(result).__name__} with a {type(odd).__name__}")
    data = json.dumps(list(result)).encode()
    if len(data) > LARGEST_NAMES:
        raise WrongType("a list of names of the model", f"{len(result)} of them")
    return data

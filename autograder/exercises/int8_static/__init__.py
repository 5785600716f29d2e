"""`int8_static`: quantize a CNN to 8 bits, with ranges of activations that are taken from calibration images.

1. Every Conv, Gemm and MatMul has weights stored in 8 bits and quantized activations whose scales are constants; QDQ and QOperator both do.
2. Ranges come from the calibration feeds, which can be gone through once; all of them are taken.
3. Channels of very different ranges keep their precision: each output channel of a weight has a scale of its own.
4. Names, types and dimensions of inputs and outputs stay, and so does the argument.

What is graded is structure, size and SQNR in exact integer arithmetic: never a time, and never what a native kernel makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from onnx import ModelProto

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType
from autograder.exercises.int8_static import cases, images, rungs
from autograder.exercises.int8_static.images import CALIBRATION, MODEL
from autograder.exercises.int8_static.rungs import REPORT
from autograder.exercises.int8_static.symptoms import PAGE
from autograder.rungs import outcome
from autograder.rungs.numerics import Feeds

SIGNATURE = "quantize_cnn(model, calibration) -> onnx.ModelProto"


class Int8Static(Exercise):
    id: ClassVar[str] = cases.ID
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "int8_static"
    grade_id: ClassVar[str] = "check-int8-static"
    functions: ClassVar[Mapping[str, str]] = {"quantize_cnn": SIGNATURE}
    minutes: ClassVar[int] = 40
    # Weights: what is not static 8-bit quantization is worth 40 %, one scale for hostile channels 50 %, ranges of something else 30 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#dynamic-and-static"), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.4, rungs.is_model, cap_some=0.6, cap_all=0.0),
        RungSpec("loads", 0.6, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 0.8, rungs.quantizes_every_layer, cap_some=0.7, cap_all=0.4),
        RungSpec("numerics", 1.4, rungs.means_the_same, cap_some=0.5, cap_all=0.3),
        RungSpec("quality", 0.4, rungs.is_small, cap_some=0.9, cap_all=0.85),
    )

    def public_cases(self) -> list[Case]:
        return cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return cases.cases(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx`, and `report.json`: was the argument changed, and how many calibration feeds were taken."""
        model, taken = ModelProto.FromString(case.files[MODEL]), 0
        before = model.SerializeToString(deterministic=True)

        def calibration() -> Iterator[Feeds]:
            nonlocal taken
            for feeds in images.unpacked(case.files[CALIBRATION]):
                taken += 1
                yield feeds

        result = functions["quantize_cnn"](model, calibration())
        if not isinstance(result, ModelProto):
            raise WrongType("an onnx.ModelProto", type(result).__name__)
        if result.ByteSize() > 2 * len(before) + (1 << 24):
            raise WrongType("an onnx.ModelProto of about the argument's size", f"one of {result.ByteSize() >> 20} MB")
        changed = model.SerializeToString(deterministic=True) != before
        return {MODEL: result.SerializeToString(deterministic=True), REPORT: rungs.note(changed, taken)}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The SQNR that the reference reaches: others may be one bit worse."""
        return rungs.digest(case, answer)


EXERCISE = Int8Static()

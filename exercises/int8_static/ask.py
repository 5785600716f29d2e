"""`int8_static`: quantize a CNN to 8 bits, with ranges of activations that are taken from
calibration images.

1. Every Conv, Gemm and MatMul has weights stored in 8 bits and quantized activations whose scales
   are constants; QDQ and QOperator both do.
2. Ranges come from the calibration feeds, which can be gone through once; all of them are taken.
3. Channels of very different ranges keep their precision: each output channel of a weight has a
   scale of its own.
4. Names, types and dimensions of inputs and outputs stay, and so does the argument.

What is graded is structure, size and SQNR in exact integer arithmetic: never a time, and never what
a native kernel makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from onnx import ModelProto
from safetensors.numpy import load

from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

MODEL, CALIBRATION, REPORT = "model.onnx", "calibration.safetensors", "report.json"
SIGNATURE = "quantize_cnn(model, calibration) -> onnx.ModelProto"


class Int8Static(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 20
    needs = ()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx`, and `report.json`: was the argument changed, and how many calibration feeds
        were taken.
        """
        model, taken = ModelProto.FromString(case.files[MODEL]), 0
        before = model.SerializeToString(deterministic=True)

        def calibration() -> Iterator[dict[str, np.ndarray]]:
            nonlocal taken
            for feeds in unpacked(case.files[CALIBRATION]):
                taken += 1
                yield feeds

        result = functions["quantize_cnn"](model, calibration())
        if not isinstance(result, ModelProto):
            raise WrongType("an onnx.ModelProto", type(result).__name__)
        if result.ByteSize() > 2 * len(before) + (1 << 24):
            raise WrongType(
                "an onnx.ModelProto of about the argument's size",
                f"one of {result.ByteSize() >> 20} MB",
            )
        changed = model.SerializeToString(deterministic=True) != before
        return {MODEL: result.SerializeToString(deterministic=True), REPORT: note(changed, taken)}


def unpacked(data: bytes) -> list[dict[str, np.ndarray]]:
    """The batches of a case, in their order."""
    feeds: dict[str, dict[str, np.ndarray]] = {}
    for key, value in sorted(load(data).items()):
        number, name = key.split("/", 1)
        feeds.setdefault(number, {})[name] = value
    return list(feeds.values())


def note(argument_changed: bool, taken: int) -> bytes:
    return json.dumps({"argument_changed": argument_changed, "taken": taken}).encode()


EXERCISE = Int8Static()

"""`sensitivity`: an INT8 model lost too much, and some bytes may be spent to put layers back into
float32. Which?

1. The result is the quantized model in which some layers are as in the float model: weight, bias,
   and an input that is not rounded.
2. The others are left as they are.
3. It has at most `spare` bytes more than the quantized model.
4. Of all choices that fit it is one of those with the highest SQNR beside the float model, or less
   than a decibel below.
"""

from __future__ import annotations

import json
from pathlib import Path

from onnx import ModelProto
from safetensors.numpy import load

from formatlab_exercises.shared.surgery import MODEL, REPORT
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "keep_float(model, small, feeds, spare) -> onnx.ModelProto"
SMALL, FEEDS = "small.onnx", "feeds.safetensors"


class Sensitivity(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 50
    needs = ("spare",)

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx`, and `report.json`: was one of the two models that were passed in changed?"""
        given = [ModelProto.FromString(case.files[name]) for name in (MODEL, SMALL)]
        before = [model.SerializeToString(deterministic=True) for model in given]
        result = functions["keep_float"](*given, load(case.files[FEEDS]), case.parameters["spare"])
        if not isinstance(result, ModelProto):
            raise WrongType("an onnx.ModelProto", type(result).__name__)
        if result.ByteSize() > 4 * len(before[0]) + (1 << 20):
            raise WrongType(
                "an onnx.ModelProto of at most the float model's size",
                f"one of {result.ByteSize() >> 10} KB",
            )
        changed = [model.SerializeToString(deterministic=True) for model in given] != before
        report = {"argument_changed": changed, "again": "same"}
        return {
            MODEL: result.SerializeToString(deterministic=True),
            REPORT: json.dumps(report).encode(),
        }


EXERCISE = Sensitivity()

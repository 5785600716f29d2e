"""`fp16`: a float32 model becomes a float16 one that is valid and computes the same, and where does
a float16 model overflow?

`to_fp16(model)`
1. Inputs, outputs, their names and types stay; a Cast stands where float32 meets float16.
2. Each float32 number of an initializer or Constant is rounded to the nearest float16. A tensor
   with a finite number that would become infinite stays float32.
3. A node that reads such a tensor computes in float32, and so does one whose operator does not take
   float16. All others compute in float16.
4. Nothing else changes, and the checker and ONNX Runtime accept the model.

`find_overflow(model, feeds)`
5. A value overflows where a node whose inputs are all finite writes an infinity or a NaN; Constants
   hold what they were given.
6. It is looked for in the values that ONNX defines: each float16 operation gives float16. ONNX
   Runtime's CPU provider computes otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from onnx import ModelProto
from safetensors.numpy import load

from autograder.contract import Case, Exercise, WrongType
from exercises.shared.surgery import MODEL, REPORT

SIGNATURES = {
    "to_fp16": "to_fp16(model) -> onnx.ModelProto",
    "find_overflow": "find_overflow(model, feeds) -> list",
}
FEEDS, NAMES = "feeds.safetensors", "names.json"
LARGEST_NAMES = 1 << 16


class Fp16(Exercise):
    functions: ClassVar[Mapping[str, str]] = SIGNATURES
    minutes: ClassVar[int] = 135
    needs: ClassVar[tuple[str, ...]] = ("ask",)

    def call(
        self, functions: Mapping[str, Callable], case: Case, scratch: Path
    ) -> dict[str, bytes]:
        """`model.onnx` or `names.json`, and `report.json`: was the argument changed?"""
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        if case.parameters["ask"] == "convert":
            files = {
                MODEL: _serialise(functions["to_fp16"](model), most=2 * len(before) + (1 << 20))
            }
        else:
            feeds = load(case.files[FEEDS])
            files = {
                NAMES: _names(
                    functions["find_overflow"](
                        model, {name: array.copy() for name, array in feeds.items()}
                    )
                )
            }
        changed = model.SerializeToString(deterministic=True) != before
        return {
            **files,
            REPORT: json.dumps({"argument_changed": changed, "again": "same"}).encode(),
        }


def _serialise(result: object, most: int) -> bytes:
    if not isinstance(result, ModelProto):
        raise WrongType("an onnx.ModelProto", type(result).__name__)
    if result.ByteSize() > most:
        raise WrongType(
            "an onnx.ModelProto of at most the argument's size",
            f"one of {result.ByteSize() >> 10} KB",
        )
    return result.SerializeToString(deterministic=True)


def _names(result: object) -> bytes:
    if not isinstance(result, (list, tuple)):
        raise WrongType("a list of names", type(result).__name__)
    odd = next((name for name in result if not isinstance(name, str)), None)
    if odd is not None:
        raise WrongType(
            "a list of names, each a str", f"a {type(result).__name__} with a {type(odd).__name__}"
        )
    data = json.dumps(list(result)).encode()
    if len(data) > LARGEST_NAMES:
        raise WrongType("a list of names of the model", f"{len(result)} of them")
    return data


EXERCISE = Fp16()

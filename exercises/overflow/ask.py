"""`overflow`: which values of a float16 model overflow, on given feeds?

1. A value overflows where a node whose inputs are all finite writes an infinity or a NaN; Constants
   hold what they were given.
2. It is looked for in the values that ONNX defines: each float16 operation gives float16. ONNX
   Runtime's CPU provider computes otherwise.
3. The names come in the order of the nodes that write them, and the model stays as it is.
"""

from __future__ import annotations

import json
from pathlib import Path

from onnx import ModelProto
from safetensors.numpy import load

from formatlab_exercises.shared.surgery import MODEL, REPORT
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "find_overflow(model, feeds) -> list"
FEEDS, NAMES = "feeds.safetensors", "names.json"
EXPECTED = "a list of names"
LARGEST_NAMES = 1 << 16


class Overflow(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 35
    needs = ()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`names.json`, and `report.json`: was the model changed?"""
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        feeds = {name: array.copy() for name, array in load(case.files[FEEDS]).items()}
        names = _names(functions["find_overflow"](model, feeds))
        changed = model.SerializeToString(deterministic=True) != before
        return {NAMES: names, REPORT: json.dumps({"argument_changed": changed}).encode()}


def _names(result: object) -> bytes:
    if not isinstance(result, (list, tuple)):
        raise WrongType(EXPECTED, type(result).__name__)
    odd = next((name for name in result if not isinstance(name, str)), None)
    if odd is not None:
        found = f"a {type(result).__name__} with a {type(odd).__name__}"
        raise WrongType(f"{EXPECTED}, each a str", found)
    data = json.dumps(list(result)).encode()
    if len(data) > LARGEST_NAMES:
        raise WrongType(f"{EXPECTED} of the model", f"{len(result)} of them")
    return data


EXERCISE = Overflow()

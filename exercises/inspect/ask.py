"""`inspect`: describe an ONNX model by five things that are written in it.

The careless way is wrong about each of them on some model: the opset is not the first entry of
opset_import, nodes and initializers also stand in subgraphs and functions, a parameter is not a
tensor, and a file's size leaves out the files it refers to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from onnx import ModelProto

from formatlab_exercises.shared.numbers import encoded
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "describe(model, directory=None) -> dict"
MODEL = "model.onnx"
ANSWER = "answer.json"


def _encode(value: object) -> object:
    """A JSON form of a value that keeps its kind: an int, an int written as a float, a dict of
    counts, or anything else by its type.
    """
    if isinstance(value, Mapping):
        return {"counts": {str(key): encoded(count) for key, count in value.items()}}
    return encoded(value)


class Inspect(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 60
    needs = ("directory",)

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        for name in case.files.keys() - {MODEL}:
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_bytes(case.files[name])
        described = (
            functions["describe"](model, scratch)
            if case.parameters["directory"]
            else functions["describe"](model)
        )
        if not isinstance(described, Mapping):
            raise WrongType("dict", type(described).__name__)
        changed = model.SerializeToString(deterministic=True) != before
        answer = {
            "description": {str(key): _encode(value) for key, value in described.items()},
            "changed": changed,
        }
        return {ANSWER: json.dumps(answer).encode()}


EXERCISE = Inspect()

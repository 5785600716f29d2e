"""Exercises whose one function makes a model out of a model: how it is called.
`exercises/shared/judge/surgery.py` holds what their judges share.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from onnx import ModelProto

from formatlab_exercises.shared import returned
from nbjudge.contract import Case, Exercise, Functions, WrongType

MODEL, REPORT = "model.onnx", "report.json"


class Surgery(Exercise):
    """A case's `again` asks for a second call on the first one's result."""

    needs: ClassVar[tuple[str, ...]] = ("again",)

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx`, and `report.json`: did the argument change, and, where the case asks, what
        does a second call change?
        """
        [function] = (functions[name] for name in self.functions)
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        data = _of_size(function(model), most=2 * len(before) + (1 << 24))
        changed = model.SerializeToString(deterministic=True) != before
        report = {
            "argument_changed": changed,
            "again": _again(function, data) if case.parameters["again"] else "same",
        }
        return {MODEL: data, REPORT: json.dumps(report).encode()}


def _of_size(result: object, most: int) -> bytes:
    """The returned model's file, which holds `most` bytes at most."""
    size = result.ByteSize() if isinstance(result, ModelProto) else 0
    if size > most:
        raise WrongType(
            "an onnx.ModelProto of about the argument's size", f"one of {size >> 20} MB"
        )
    return returned.model(result)


def _again(function: Callable, data: bytes) -> str:
    """What a second call does to the first one's result: `same`, `changed` (other operators) or
    `raised`.
    """
    try:
        again = function(ModelProto.FromString(data))
        first, second = (
            [node.op_type for node in model.graph.node]
            for model in (ModelProto.FromString(data), again)
        )
    except Exception:
        return "raised"
    return "same" if sorted(first) == sorted(second) else "changed"

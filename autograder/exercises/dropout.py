"""`dropout`: give back a model that means at inference what the argument means, without its Dropouts.

1. No Dropout is left: not in the main graph, not in a subgraph at any depth, not in a function.
2. Who read a Dropout's output reads its input; a mask that somebody uses is all True, of the input's shape.
3. Everything else stays: the other nodes, the names and types of the graph's inputs and outputs, the opset imports.
4. An Identity stands only where it writes an output of its graph, whose name has to be kept.
5. What served the Dropouts alone goes with them: initializers, Constants, the nodes that computed a ratio.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from onnx import ModelProto

from autograder.exercises import dropout_cases, dropout_rungs
from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType
from autograder.rungs import loading, numerics, outcome

SIGNATURE = "remove_dropout(model) -> onnx.ModelProto"
MODEL, REPORT = dropout_rungs.MODEL, dropout_rungs.REPORT
REWIRING = f"{dropout_rungs.PAGE}#rewiring"


class Dropout(Exercise):
    id: ClassVar[str] = "dropout"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "dropout"
    grade_id: ClassVar[str] = "check-dropout"
    functions: ClassVar[Mapping[str, str]] = {"remove_dropout": SIGNATURE}
    minutes: ClassVar[int] = 40
    # Weights: a crash or an invalid model on one edge case costs that rung; Dropouts left everywhere are worth 30 %, stand-ins 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, outcome.exists(SIGNATURE, REWIRING), cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.4, dropout_rungs.is_model, cap_all=0.0),
        RungSpec("loads", 0.8, dropout_rungs.loads, cap_some=0.7, cap_all=0.1),
        RungSpec("contract", 0.2, dropout_rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.0, dropout_rungs.removes_only_dropout, cap_all=0.3),
        RungSpec("numerics", 1.4, dropout_rungs.means_the_same, cap_all=0.1),
        RungSpec("quality", 0.2, dropout_rungs.is_clean, cap_all=0.7),
    )

    def public_cases(self) -> list[Case]:
        return dropout_cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return dropout_cases.cases(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        """`model.onnx`, and `report.json`: did the argument change, and, where the case asks, what does a second call change?"""
        remove_dropout = functions["remove_dropout"]
        model = ModelProto.FromString(case.files[MODEL])
        before = model.SerializeToString(deterministic=True)
        data = _serialise(remove_dropout(model), most=2 * len(before) + (1 << 24))
        changed = model.SerializeToString(deterministic=True) != before
        report = {"argument_changed": changed, "again": _again(remove_dropout, data) if case.parameters["again"] else "same"}
        return {MODEL: data, REPORT: json.dumps(report).encode()}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/<position>`."""
        inputs = numerics.feeds(loading.parse(case.files[MODEL]), case.seed, case.parameters["integers"])
        return numerics.pack([outputs[0] for outputs in numerics.run(answer.files[MODEL], inputs)])


def _serialise(result: object, most: int) -> bytes:
    if not isinstance(result, ModelProto):
        raise WrongType("an onnx.ModelProto", type(result).__name__)
    size = result.ByteSize()
    if size > most:
        raise WrongType("an onnx.ModelProto of about the argument's size", f"one of {size >> 20} MB")
    return result.SerializeToString(deterministic=True)


def _again(remove_dropout: Callable, data: bytes) -> str:
    """What a second call does to the first one's result: `same`, `changed` (other operators) or `raised`."""
    try:
        again = remove_dropout(ModelProto.FromString(data))
        first, second = ([node.op_type for node in model.graph.node] for model in (ModelProto.FromString(data), again))
    except Exception:
        return "raised"
    return "same" if sorted(first) == sorted(second) else "changed"


EXERCISE = Dropout()

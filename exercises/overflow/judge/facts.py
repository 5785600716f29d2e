"""What is true of the values of a case, beside the names that were asked for and those that were
given: for the misconceptions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load

from formatlab_exercises.overflow.ask import FEEDS
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case


@dataclass(frozen=True)
class Facts:
    """`expected` and `found` are the two lists. `values` holds every value of the model on its
    X"""

    expected: list[str]
    found: list[str]
    values: Mapping[str, np.ndarray]
    given: frozenset[str]
    outputs: frozenset[str]
    later: frozenset[str]

    @property
    def missing(self) -> list[np.ndarray]:
        return [self.values[name] for name in self.expected if name not in self.found]

    @property
    def too_many(self) -> list[str]:
        return [name for name in self.found if name not in self.expected]

    def is_finite(self, name: str) -> bool:
        return bool(np.isfinite(self.values[name]).all())


def facts(case: Case, expected: list[str], found: list[str]) -> Facts:
    model, feeds = ModelProto.FromString(case.files[MODEL]), load(case.files[FEEDS])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        computed: Any = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    constants = [
        name for node in model.graph.node if node.op_type == "Constant" for name in node.output
    ]
    values = {name: np.asarray(value) for name, value in {**computed, **stored, **feeds}.items()}
    outputs = frozenset(value.name for value in model.graph.output)
    later = frozenset(name for node in model.graph.node for name in node.output[1:])
    return Facts(
        expected=expected,
        found=found,
        values=values,
        given=frozenset({*stored, *feeds, *constants}),
        outputs=outputs,
        later=later,
    )

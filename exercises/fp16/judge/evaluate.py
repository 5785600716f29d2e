"""What ONNX says that a model computes: its reference evaluator, where every float16 operation
gives a float16 result.

The CPU provider of ONNX Runtime computes most float16 nodes in float32, so that it shows neither an
overflow nor a rounding.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

from formatlab import loading
from formatlab.numerics import Feeds
from formatlab_exercises.shared.judge import models
from nbjudge.contract import Case


def evaluate(data: bytes, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The model's outputs, with feeds of the types that it declares. Raises whatever the evaluator
    raises; `data` must hold no loops.
    """
    model = loading.parse(data)
    declared = {
        value.name: helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        for value in model.graph.input
    }
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = ReferenceEvaluator(model).run(
            None,
            {name: array.astype(declared.get(name, array.dtype)) for name, array in feeds.items()},
        )
    return found


def inputs_of(case: Case) -> list[Feeds]:
    """Fresh inputs for a model to convert. No row of an attention mask is empty: in float16 it
    would be NaN, in float32 it is not.
    """
    inputs = models.inputs_of(case)
    for feeds in inputs:
        if "attention_mask" in feeds:
            feeds["attention_mask"][:, 0] = 1
    return inputs

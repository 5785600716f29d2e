"""The initializers of a model that exhibits read and replace."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper


def read(model: ModelProto, name: str) -> np.ndarray:
    return numpy_helper.to_array(_tensor(model, name))


def replace(model: ModelProto, name: str, value: np.ndarray) -> None:
    _tensor(model, name).CopyFrom(numpy_helper.from_array(value, name))


def _tensor(model: ModelProto, name: str) -> TensorProto:
    return next(tensor for tensor in model.graph.initializer if tensor.name == name)

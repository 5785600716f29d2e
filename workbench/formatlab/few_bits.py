"""What notebook 04b of Lab 7-01 explains: a transformer's static forms."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader

from formatlab.numerics import Feeds


class Reader(CalibrationDataReader):
    """Gives the feeds to a calibration, one by one."""

    def __init__(self, feeds: Iterable[Feeds]):
        self.feeds = iter(feeds)

    def get_next(self) -> Feeds | None:
        return next(self.feeds, None)


def written(
    quantize: Callable[..., Any], model: ModelProto, *others: object, **settings: Any
) -> ModelProto:
    """The model that a function of the library writes. Its files lie in the working directory."""
    with contextlib.redirect_stdout(io.StringIO()):
        onnx.save(model, "in.onnx")
        quantize("in.onnx", "out.onnx", *others, **settings)
    return onnx.load("out.onnx")


def watched(model: ModelProto) -> tuple[ModelProto, list[str]]:
    """The model with an output for each value that enters a product with a weight, and their names."""
    stored = {tensor.name for tensor in model.graph.initializer}
    products = [node for node in model.graph.node if node.op_type == "MatMul"]
    names = list(dict.fromkeys(node.input[0] for node in products if node.input[1] in stored))
    new = ModelProto.FromString(model.SerializeToString())
    new.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    return new, names


def peaks(x: np.ndarray) -> np.ndarray:
    """The largest magnitude of each channel, over the tokens."""
    return np.abs(x).max(axis=0)


def factors(largest: np.ndarray, heaviest: np.ndarray, alpha: float) -> np.ndarray:
    """SmoothQuant's factor of each channel: `largest` is of the activation, `heaviest` of the weight."""
    return largest**alpha / heaviest ** (1 - alpha)


def smoothed(model: ModelProto, largest: Mapping[str, np.ndarray], alpha: float) -> ModelProto:
    """The same function, with a division before each product and weights that undo it."""
    new = ModelProto.FromString(model.SerializeToString())
    tensors = {tensor.name: tensor for tensor in new.graph.initializer}
    for name, channels in largest.items():
        readers = [
            node for node in new.graph.node if node.op_type == "MatMul" and node.input[0] == name
        ]
        readers = {node.input[1]: node for node in readers if node.input[1] in tensors}
        weights = {weight: numpy_helper.to_array(tensors[weight]) for weight in readers}
        heaviest = np.max([np.abs(w).max(axis=1) for w in weights.values()], axis=0)
        f = factors(channels, np.maximum(heaviest, 1e-6), alpha)
        f = np.maximum(f, 1e-3).astype(np.float32)
        new.graph.initializer.append(numpy_helper.from_array(1 / f, f"{name}_f"))
        division = helper.make_node("Mul", [name, f"{name}_f"], [f"{name}_smooth"])
        new.graph.node.insert(min(map(list(new.graph.node).index, readers.values())), division)
        for weight, node in readers.items():
            tensors[weight].CopyFrom(numpy_helper.from_array(f[:, None] * weights[weight], weight))
            node.input[0] = f"{name}_smooth"
    return new

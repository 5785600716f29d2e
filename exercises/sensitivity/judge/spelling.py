"""A float model and its quantized twin, written in other legal ways."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab.models import to_bytes
from formatlab_exercises.shared.judge import qdq_spelling

Pair = tuple[bytes, bytes]


def names_taken(model: bytes, small: bytes) -> Pair:
    """The same models. The codes of a weight have the name that the float model gives the weight,
    and what a DequantizeLinear makes of a bias that of the bias; the two branches read one bias.
    """
    renamed = _values_named_as_biases(_codes_named_as_weights(small))
    return _one_bias(model, renamed, "layer_1a", "layer_1b")


def otherwise(model: bytes, small: bytes) -> Pair:
    """The same models, of which the quantized one is written otherwise, and has a tensor that nothing
    reads, under a name such as an edit makes.
    """
    new = ModelProto.FromString(qdq_spelling.otherwise(small))
    first = ModelProto.FromString(model).graph.initializer[0].name
    unread = numpy_helper.from_array(np.array([1, 2], np.float32), f"{first}_float")
    new.graph.initializer.append(unread)
    return model, to_bytes(new)


def bias_behind(model: bytes, small: bytes) -> Pair:
    """The same models, whose last layer, a MatMul, gets a bias by an Add."""
    width = _layer(ModelProto.FromString(model), "logits").dims[1]
    return _added(model, width), _added(small, width)


def _codes_named_as_weights(data: bytes) -> bytes:
    model = ModelProto.FromString(data)
    ending = ".weight_quantized"
    for tensor in model.graph.initializer:
        if tensor.name.endswith(ending):
            tensor.name = tensor.name.removesuffix("_quantized")
    for node in model.graph.node:
        node.input[:] = [
            name.removesuffix("_quantized") if name.endswith(ending) else name
            for name in node.input
        ]
    return to_bytes(model)


def _values_named_as_biases(data: bytes) -> bytes:
    model = ModelProto.FromString(data)
    ending = ".bias_dequantized"
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = [
                name.removesuffix("_dequantized") if name.endswith(ending) else name
                for name in names
            ]
    return to_bytes(model)


def _one_bias(model: bytes, small: bytes, first: str, second: str) -> Pair:
    """Layer `second` reads the bias of `first`. Its codes are its own, because its scale is."""
    floats, codes = ModelProto.FromString(model), ModelProto.FromString(small)
    stored = _tensors(floats) | _tensors(codes)
    reader = next(node for node in floats.graph.node if node.name == second)
    floats.graph.initializer.remove(stored[reader.input[2]])
    reader.input[2] = f"{first}.bias"
    values = numpy_helper.to_array(stored[f"{first}.bias"])
    step = numpy_helper.to_array(stored[f"{second}.bias_scale"])
    name = f"{second}.bias_quantized"
    stored[name].CopyFrom(numpy_helper.from_array(np.rint(values / step).astype(np.int32), name))
    return to_bytes(floats), to_bytes(codes)


def _added(data: bytes, width: int) -> bytes:
    """The model with an Add of fixed numbers behind the layer that writes its output."""
    model = ModelProto.FromString(data)
    [output] = model.graph.output
    layer = next(node for node in model.graph.node if output.name in node.output)
    layer.output[0] = f"{layer.name}_out"
    shift = np.linspace(-0.3, 0.5, width, dtype=np.float32)
    model.graph.initializer.append(numpy_helper.from_array(shift, f"{layer.name}.shift"))
    inputs = [layer.output[0], f"{layer.name}.shift"]
    model.graph.node.append(helper.make_node("Add", inputs, [output.name]))
    return to_bytes(model)


def _layer(model: ModelProto, output: str) -> TensorProto:
    """The weight of the layer that writes a value."""
    node: NodeProto = next(node for node in model.graph.node if output in node.output)
    return _tensors(model)[node.input[1]]


def _tensors(model: ModelProto) -> dict[str, TensorProto]:
    return {tensor.name: tensor for tensor in model.graph.initializer}

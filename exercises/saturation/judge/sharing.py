"""Layers that share tensors: models of which some read one weight, bias or scale, and which layers of
a model do.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, numpy_helper

from formatlab import loading
from formatlab.models import to_bytes
from formatlab_exercises.shared.judge.stored import weights


def one_weight(data: bytes, first: str, second: str) -> bytes:
    """The same model, in which layer `second` reads the weight of `first`, of the same shape, and
    keeps a bias of its own.
    """
    model = ModelProto.FromString(data)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    layer = next(node for node in model.graph.node if node.name == second)
    other = next(node for node in model.graph.node if node.name == first)
    own = _array(tensors[f"{second}.bias_quantized"]) * _array(tensors[f"{second}.bias_scale"])
    x_scale = _array(tensors[f"{layer.input[0].removesuffix('_dequantized')}_scale"])
    step = (_array(tensors[f"{first}.weight_scale"]) * x_scale).astype(np.float32)
    _store(tensors[f"{second}.bias_scale"], step)
    _store(tensors[f"{second}.bias_quantized"], np.rint(own / step).astype(np.int32))
    layer.input[1] = other.input[1]
    return _without_unread(model)


def one_scale(data: bytes, first: str, second: str) -> bytes:
    """The same model, in which layer `second` reads the bias of `first`, and the scale of its
    weight. Both layers read one activation, and have one scale for all channels.
    """
    model = ModelProto.FromString(data)
    layer = next(node for node in model.graph.node if node.name == second)
    writer = {node.output[0]: node for node in model.graph.node}
    writer[layer.input[1]].input[1] = f"{first}.weight_scale"
    layer.input[2] = f"{first}.bias_dequantized"
    return _without_unread(model)


# What is put behind a name to make another one.
SUFFIXES = (
    *("/coarse", "/copy", "/half", "/new", "/own", "/1", "_coarse", "_copy", "_half", "_halved"),
    *("_mended", "_new", "_own", "_safe", "_1", "_2", ".0", ".1", ".own"),
)


def taken_names(data: bytes, first: str, second: str) -> bytes:
    """As `one_weight`, and tensors that nothing reads have the names that an edit may want to make."""
    model = ModelProto.FromString(one_weight(data, first, second))
    layers = [node for node in model.graph.node if node.name in (first, second)]
    writer = {node.output[0]: node for node in model.graph.node}
    # Of what the two layers read, and of what stores that.
    stems = {name: None for layer in layers for name in layer.input[1:]}
    stems |= {part: None for name in [*stems] for part in writer[name].input}
    for stem in stems:
        for suffix in SUFFIXES:
            taken = numpy_helper.from_array(np.array([1, 2], np.float32), f"{stem}{suffix}")
            model.graph.initializer.append(taken)
    return to_bytes(model)


def writes_twice(data: bytes) -> bool:
    """Decide whether two initializers or values of a model have one name. What is no model has none."""
    try:
        graph = loading.parse(data).graph
    except loading.Unloadable:
        return False
    made = [tensor.name for tensor in graph.initializer]
    made += [name for node in graph.node for name in node.output if name]
    return len(set(made)) < len(made)


def sharing(data: bytes) -> frozenset[str]:
    """The layers that read a code, a scale or a bias which another layer reads too, by the names of
    their outputs.
    """
    layers, read = weights(data), {}
    for node in ir.from_proto(loading.parse(data)).graph:
        if node.outputs[0].name in layers:
            parts = [value.producer() for value in node.inputs[1:] if value is not None]
            read[node.outputs[0].name] = {
                each.name for part in parts if part is not None for each in part.inputs if each
            }
    readers = Counter(name for names in read.values() for name in names)
    return frozenset(
        layer for layer, names in read.items() if any(readers[name] > 1 for name in names)
    )


def _without_unread(model: ModelProto) -> bytes:
    for field in (model.graph.node, model.graph.initializer):
        read = {name for node in model.graph.node for name in node.input}
        read |= {value.name for value in model.graph.output}
        for one in list(field):
            if read.isdisjoint(one.output if hasattr(one, "output") else [one.name]):
                field.remove(one)
    return to_bytes(model)


def _array(tensor):
    return numpy_helper.to_array(tensor)


def _store(tensor, array: np.ndarray) -> None:
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

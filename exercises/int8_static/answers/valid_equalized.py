"""Equalizes the channels of neighbouring layers before the library quantizes them, per channel all the same."""

import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

EXPECTED = {"rung": None}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    new = with_initializers(model)
    equalize(new.graph)
    with tempfile.TemporaryDirectory() as folder:
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        quantize_static(new, f"{folder}/int8.onnx", Reader(calibration), per_channel=True, **types)
        return onnx.load(f"{folder}/int8.onnx")


def with_initializers(model):
    """A copy in which what a Constant node holds is an initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node in [node for node in new.graph.node if node.op_type == "Constant"]:
        new.graph.initializer.add().CopyFrom(node.attribute[0].t)
        new.graph.initializer[-1].name = node.output[0]
        new.graph.node.remove(node)
    return new


def equalize(graph):
    """Conv, ReLU, Conv in a row, nobody else reading: each channel gets the geometric mean of its two ranges."""
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    readers = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    for first in graph.node:
        chain = [first, *follow(readers, first)]
        if [node.op_type for node in chain] != ["Conv", "Relu", "Conv"] or any(a.name == "group" and a.i > 1 for a in chain[2].attribute):
            continue
        if any(len(readers[name]) > 1 for name in (*first.input[1:3], chain[2].input[1])):
            continue
        weight, bias, after = (numpy_helper.to_array(tensors[name]) for name in (*first.input[1:3], chain[2].input[1]))
        ranges = np.abs(weight).max(axis=(1, 2, 3)), np.abs(after).max(axis=(0, 2, 3))
        factor = np.sqrt(ranges[1] / ranges[0])
        store(tensors[first.input[1]], weight * factor.reshape(-1, 1, 1, 1))
        store(tensors[first.input[2]], bias * factor)
        store(tensors[chain[2].input[1]], after / factor.reshape(1, -1, 1, 1))


def follow(readers, node):
    chain = []
    while len(chain) < 2 and len(readers.get(node.output[0], [])) == 1:
        [node] = readers[node.output[0]]
        chain.append(node)
    return chain


def store(tensor, value):
    tensor.CopyFrom(numpy_helper.from_array(value.astype(np.float32), tensor.name))

"""Stores the weights as integers, and computes with floats."""

from collections import deque

import numpy as np
import onnx
from onnx import helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "weights-only"}


def quantize_cnn(model, calibration):
    deque(calibration, maxlen=0)
    new = onnx.ModelProto()
    new.CopyFrom(model)
    dequantize = []
    for tensor in [tensor for tensor in new.graph.initializer if tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) > 1]:
        weight = numpy_helper.to_array(tensor)
        scale = np.abs(weight).max() / np.float32(127)
        new.graph.initializer.append(numpy_helper.from_array(np.rint(weight / scale).astype(np.int8), f"{tensor.name}/codes"))
        new.graph.initializer.append(numpy_helper.from_array(np.array(scale), f"{tensor.name}/scale"))
        dequantize.append(helper.make_node("DequantizeLinear", [f"{tensor.name}/codes", f"{tensor.name}/scale"], [tensor.name]))
        new.graph.initializer.remove(tensor)
    nodes = [*dequantize, *new.graph.node]
    del new.graph.node[:], new.graph.value_info[:]
    new.graph.node.extend(nodes)
    return new

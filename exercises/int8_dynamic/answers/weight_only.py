"""Stores every weight in 8 bits behind a DequantizeLinear, and multiplies in float."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "weight-only"}


def undescribed(model):
    """A copy whose value_info describes no initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    stored = {tensor.name for tensor in new.graph.initializer}
    kept = [value for value in new.graph.value_info if value.name not in stored]
    del new.graph.value_info[:]
    new.graph.value_info.extend(kept)
    return new


def quantize_bert(model):
    new = undescribed(model)
    graph = new.graph
    nodes = list(graph.node)
    del graph.node[:]
    for tensor in [tensor for tensor in graph.initializer if len(tensor.dims) == 2 and tensor.data_type == onnx.TensorProto.FLOAT]:
        values = numpy_helper.to_array(tensor)
        scale = np.maximum(np.abs(values).max(axis=0), 1e-12) / 127
        codes = np.rint(values / scale).astype(np.int8)
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(codes, f"{name}/codes"))
        graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), f"{name}/scale"))
        graph.node.append(helper.make_node("DequantizeLinear", [f"{name}/codes", f"{name}/scale"], [name], axis=1))
    graph.node.extend(nodes)
    return new

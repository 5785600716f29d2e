"""A quantized model, written in another legal way."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, numpy_helper

from formatlab.models import to_bytes


def otherwise(data: bytes) -> bytes:
    """The same model. Zero points of 0 are left out, axes are counted from the end, the default
    domain is imported under both of its names, and a tensor that nothing reads has a name such as
    an edit makes.
    """
    model = ModelProto.FromString(data)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in tensors:
            for attribute in node.attribute:
                if attribute.name == "axis":
                    attribute.i -= len(tensors[node.input[0]].dims)
            zero = tensors[node.input[2]]
            if not numpy_helper.to_array(zero).any():
                del node.input[2:]
                model.graph.initializer.remove(zero)
    [first, *_] = model.graph.initializer
    unread = numpy_helper.from_array(np.array([1, 2], np.float32), f"{first.name}/coarse")
    model.graph.initializer.append(unread)
    model.opset_import.add(domain="ai.onnx", version=model.opset_import[0].version)
    return to_bytes(model)

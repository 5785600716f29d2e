"""Stores each weight that fits in float16, behind a Cast, and computes in float32."""

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "library-blocks-much", "lazy": "library"}


def to_fp16(model):
    new = ModelProto()
    new.CopyFrom(model)
    casts, renamed = [], {}
    for tensor in new.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            numbers, name = numpy_helper.to_array(tensor), tensor.name
            with np.errstate(over="ignore"):
                half = numbers.astype(np.float16)
            if not (np.isinf(half) & np.isfinite(numbers)).any():
                tensor.CopyFrom(numpy_helper.from_array(half, name))
                renamed[name] = f"{name}_in_float32"
                casts.append(helper.make_node("Cast", [name], [renamed[name]], to=TensorProto.FLOAT))
    for node in new.graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
    nodes = [*casts, *new.graph.node]
    del new.graph.node[:]
    new.graph.node.extend(nodes)
    return new

"""Stores the result for the example."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "stored-result", "lazy": "constant"}


def stored(value, inputs, output):
    value = value.detach().numpy()
    node = helper.make_node("Constant", [], [output], value=numpy_helper.from_array(np.asarray(value)))
    kinds = [helper.make_tensor_value_info(name, TensorProto.FLOAT, tensor.shape) for name, tensor in inputs.items()]
    result = helper.make_tensor_value_info(output, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
    graph = helper.make_graph([node], "stored", kinds, [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def export_branch(predicate, then_fn, else_fn, example):
    return stored((then_fn if predicate(example) else else_fn)(example), {"x": example}, "y")


def export_loop(step, initial, sequence):
    state = initial
    for element in sequence:
        state = step(state, element)
    return stored(state, {"state": initial, "sequence": sequence}, "result")

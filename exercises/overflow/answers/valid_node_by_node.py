"""Each node runs by itself, in a model of its own."""

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

EXPECTED = {"rung": None}


def find_overflow(model, feeds):
    """Each node alone in a model, run on what the nodes before it gave."""
    values = {**feeds, **{tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}}
    found = []
    for node in model.graph.node:
        given = {name: values[name] for name in node.input if name}
        with np.errstate(all="ignore"):
            results = evaluate(node, given, model.opset_import)
        values.update(zip(node.output, results, strict=True))
        if node.op_type != "Constant" and all(finite(value) for value in given.values()):
            found += [name for name in node.output if name and not finite(values[name])]
    return found


def evaluate(node, given, imports):
    def typed(name, array):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)

    inputs = [typed(name, np.asarray(array)) for name, array in given.items()]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = helper.make_graph([node], "one", inputs, outputs)
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=imports)).run(None, given)


def finite(value):
    return bool(np.isfinite(value).all())

"""Sorts and repairs what the converter writes, but keeps the numbers as it clips them."""

import numpy as np
import onnx
import onnx_ir as ir
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"score": 0.55, "rung": "structure", "message": "clipped to a number", "shows": "library-clips"}


def to_fp16(model):
    new = onnx.ModelProto.FromString(model.SerializeToString())
    del new.graph.value_info[:]
    nodes = [node for node in model.graph.node if node.op_type != "Constant"]
    new.graph.initializer.extend(lifted(node) for node in model.graph.node if node.op_type == "Constant")
    del new.graph.node[:]
    new.graph.node.extend(nodes)
    for i, node in enumerate(new.graph.node):
        node.name = f"node_{i}"
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"])
    once = {node.output[0]: node for node in half.graph.node}
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in once.values()]
    del half.graph.node[:], half.graph.value_info[:]
    half.graph.node.extend(nodes)
    sorted_model = ir.from_proto(half)
    sorted_model.graph.sort()
    return ir.to_proto(sorted_model)


def lifted(node):
    [attribute] = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    return numpy_helper.from_array(np.array(value, np.float32 if "float" in attribute.name else None), node.output[0])


def find_overflow(model, feeds):
    with np.errstate(all="ignore"):
        values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    values |= {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):
            found += [name for name in node.output if not np.isfinite(values[name]).all()]
    return found

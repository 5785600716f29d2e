"""ONNX Runtime's converter, with what it gets wrong repaired: numbers, double Casts, order."""

import numpy as np
import onnx
import onnx_ir as ir
from onnx import helper, numpy_helper
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"score": 1.0, "rung": None}


def to_fp16(model):
    new = onnx.ModelProto.FromString(model.SerializeToString())
    del new.graph.value_info[:]
    nodes = [node for node in model.graph.node if node.op_type != "Constant"]
    new.graph.initializer.extend(lifted(node) for node in model.graph.node if node.op_type == "Constant")
    del new.graph.node[:]
    new.graph.node.extend(nodes)
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in new.graph.initializer}
    given = {value.name for value in new.graph.input}
    defaults = [onnx.TensorProto.FromString(t.SerializeToString()) for t in new.graph.initializer if t.name in given]
    given_out = {value.name for value in new.graph.output} & numbers.keys()
    kept = [tensor for tensor in new.graph.initializer if tensor.name not in given]
    del new.graph.initializer[:]
    new.graph.initializer.extend(kept)
    for name in sorted(given_out):
        new.graph.node.append(helper.make_node("Identity", ["w_" + name], [name]))
    for item in (*new.graph.initializer, *new.graph.node):
        rename(item, given_out)
    numbers = {("w_" + name if name in given_out else name): array for name, array in numbers.items()}
    large = {name for name, array in numbers.items() if array.dtype == np.float32 and not fits(array) and name not in given}
    for i, node in enumerate(new.graph.node):
        node.name = f"node_{i}"
    blocked = [node.name for node in new.graph.node if large.intersection(node.input)]
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"], node_block_list=blocked)
    for tensor in half.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT16:
            tensor.CopyFrom(numpy_helper.from_array(numbers[tensor.name].astype(np.float16), tensor.name))
    once = {node.output[0]: node for node in half.graph.node}
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in once.values()]
    del half.graph.node[:], half.graph.value_info[:]
    half.graph.node.extend(nodes)
    half.graph.initializer.extend(defaults)
    for node in list(half.graph.node):
        if node.op_type == "Identity" and node.input[0].startswith("w_"):
            [cast] = [other for other in half.graph.node if other.input[:1] == node.output[:1]]
            cast.input[0] = node.input[0]
            half.graph.node.remove(node)
    sorted_model = ir.from_proto(half)
    sorted_model.graph.sort()
    return ir.to_proto(sorted_model)


def rename(item, names):
    """The numbers that are outputs get a name of their own."""
    if isinstance(item, onnx.TensorProto):
        item.name = "w_" + item.name if item.name in names else item.name
    else:
        item.input[:] = ["w_" + name if name in names else name for name in item.input]


def fits(array):
    with np.errstate(over="ignore"):
        return np.isfinite(array.astype(np.float16)[np.isfinite(array)]).all()


def lifted(node):
    [attribute] = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    return numpy_helper.from_array(np.array(value, np.float32 if "float" in attribute.name else None), node.output[0])

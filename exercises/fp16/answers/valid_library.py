"""ONNX Runtime's converter, with what it gets wrong repaired: numbers, double and dead Casts, order,
and what it takes for a value of a node.
"""

import numpy as np
import onnx
import onnx_ir as ir
from onnx import helper, numpy_helper
from onnxruntime.transformers.float16 import convert_float_to_float16

EXPECTED = {"rung": None}


def to_fp16(model):
    new = onnx.ModelProto.FromString(model.SerializeToString())
    del new.graph.value_info[:]
    nodes = [node for node in model.graph.node if node.op_type != "Constant"]
    new.graph.initializer.extend(lifted(node) for node in model.graph.node if node.op_type == "Constant")
    del new.graph.node[:]
    new.graph.node.extend(nodes)
    inputs = {value.name for value in new.graph.input}
    defaults = [tensor for tensor in new.graph.initializer if tensor.name in inputs]
    written = {name for node in nodes for name in node.output}
    rest(new.graph.initializer, lambda tensor: tensor.name not in inputs)
    rest(new.graph.output, lambda value: value.name in written)
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in new.graph.initializer}
    large = {name for name, array in numbers.items() if array.dtype == np.float32 and not fits(array)}
    for i, node in enumerate(new.graph.node):
        node.name = f"node_{i}"
    blocked = [node.name for node in new.graph.node if large.intersection(node.input)]
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"], node_block_list=blocked)
    for tensor in half.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT16:
            tensor.CopyFrom(numpy_helper.from_array(numbers[tensor.name].astype(np.float16), tensor.name))
    constants = {value.name for value in model.graph.output if value.name not in written | inputs | large}
    for names in (*(node.input for node in half.graph.node), *(node.output for node in half.graph.node)):
        names[:] = [f"{name}/float16" if name in constants else name for name in names]
    for tensor in half.graph.initializer:
        tensor.name = f"{tensor.name}/float16" if tensor.name in constants else tensor.name
    casts = [helper.make_node("Cast", [f"{name}/float16"], [name], to=onnx.TensorProto.FLOAT) for name in constants]
    half.graph.node.extend(casts)
    half.graph.initializer.extend(defaults)
    del half.graph.output[:]
    half.graph.output.extend(model.graph.output)
    read = {name for node in half.graph.node for name in node.input} | {value.name for value in model.graph.output}
    rest(half.graph.node, lambda node: node.op_type != "Cast" or node.output[0] in read)
    once = {node.output[0]: node for node in half.graph.node}
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in once.values()]
    del half.graph.node[:], half.graph.value_info[:]
    half.graph.node.extend(nodes)
    sorted_model = ir.from_proto(half)
    sorted_model.graph.sort()
    return ir.to_proto(sorted_model)


def rest(field, keep):
    items = [item for item in field if keep(item)]
    kept = [type(item).FromString(item.SerializeToString()) for item in items]
    del field[:]
    field.extend(kept)


def fits(array):
    with np.errstate(over="ignore"):
        return np.isfinite(array.astype(np.float16)[np.isfinite(array)]).all()


def lifted(node):
    [attribute] = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    return numpy_helper.from_array(np.array(value, np.float32 if "float" in attribute.name else None), node.output[0])

"""Constants lifted to initializers, casts around what stays float32: the answer that most of the wrong ones spoil."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EXPECTED = {"rung": None}


def to_fp16(model):
    new = onnx.ModelProto.FromString(model.SerializeToString())
    types = onnx.shape_inference.infer_shapes(new).graph
    floats = {v.name for v in [*types.input, *types.output, *types.value_info] if v.type.tensor_type.elem_type == TensorProto.FLOAT}
    nodes, large = [], set()
    given = [value.name for value in new.graph.input]
    read = {name for node in new.graph.node for name in node.input}
    for node in new.graph.node:
        if node.op_type == "Constant":
            new.graph.initializer.append(lifted(node))
        else:
            nodes.append(node)
    for tensor in new.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and tensor.name not in given:
            numbers = numpy_helper.to_array(tensor)
            with np.errstate(over="ignore"):
                half = numbers.astype(np.float16)
            if np.isinf(half[np.isfinite(numbers)]).any():
                large.add(tensor.name)
            else:
                tensor.CopyFrom(numpy_helper.from_array(half, tensor.name))
                floats.add(tensor.name)
    floats -= large
    inputs = [name for name in given if name in floats & read]
    outputs = [value.name for value in new.graph.output if value.name in floats and value.name not in given]
    for tensor in new.graph.initializer:
        tensor.name = "h_" + tensor.name if tensor.name in outputs else tensor.name
    casts = [helper.make_node("Cast", [name], ["h_" + name], to=TensorProto.FLOAT16) for name in inputs]
    last = [helper.make_node("Cast", ["h_" + name], [name], to=TensorProto.FLOAT) for name in outputs]
    done = casts + [made for node in nodes for made in convert(node, floats, large, {*inputs, *outputs})] + last
    seen, kept = set(), []
    for node in done:
        if not seen.intersection(node.output):
            kept.append(node)
        seen.update(node.output)
    del new.graph.node[:], new.graph.value_info[:]
    new.graph.node.extend(kept)
    return new


def convert(node, floats, large, borders):
    copy = onnx.NodeProto.FromString(node.SerializeToString())
    for names in (copy.input, copy.output):
        for i, name in enumerate(names):
            names[i] = "h_" + name if name in borders else name
    if node.op_type == "Cast" and node.output[0] in floats:
        copy.attribute[0].i = TensorProto.FLOAT16
    if node.op_type == "ConstantOfShape" and node.output[0] in floats:
        value = numpy_helper.to_array(node.attribute[0].t) if node.attribute else np.zeros(1)
        del copy.attribute[:]
        copy.attribute.append(helper.make_attribute("value", numpy_helper.from_array(value.astype(np.float16))))
    if not large.intersection(node.input) and node.op_type not in ("Range", "Resize"):
        return [copy]
    readers, writers = (zip(a, b, strict=True) for a, b in ((copy.input, node.input), (copy.output, node.output)))
    before = [helper.make_node("Cast", [n], ["f_" + o], to=TensorProto.FLOAT) for n, o in readers if o in floats]
    after = [helper.make_node("Cast", ["r_" + o], [n], to=TensorProto.FLOAT16) for n, o in writers if o in floats]
    copy.input[:] = ["f_" + o if o in floats else o for o in node.input]
    copy.output[:] = ["r_" + o if o in floats else o for o in node.output]
    return [*before, copy, *after]


def lifted(node):
    [attribute] = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    return numpy_helper.from_array(np.array(value, np.float32 if "float" in attribute.name else None), node.output[0])

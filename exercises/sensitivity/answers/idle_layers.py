"""Multiplies the quantized layers by 0, and computes with finer weights beside them: of 15 bits, without a choice."""

import numpy as np
from onnx import ModelProto, helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "idle-layers"}
LAYERS = ("Conv", "Gemm", "MatMul")


def keep_float(model, small, feeds, spare):
    """The coarsest layers get a second code for each weight, as long as there is room."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in small.graph.initializer}
    floats = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    before = {node.name: node for node in model.graph.node}
    writers = {node.output[0]: node for node in small.graph.node}
    *layers, _ = (node for node in small.graph.node if node.op_type in LAYERS)
    layers.sort(key=lambda node: np.abs(stored[writers[node.input[1]].input[0]].astype(int)).max())
    for count in range(len(layers), -1, -1):
        new = beside(small, {node.name: floats[before[node.name].input[1]] for node in layers[:count]}, stored, writers)
        if new.ByteSize() <= small.ByteSize() + spare:
            return new
    return small


def beside(small, finer, stored, writers):
    """All in front of the last layer is done twice: what is named like a layer counts for nothing."""
    new, nodes = ModelProto(), list(small.graph.node)
    new.CopyFrom(small)
    last = max(place for place, node in enumerate(nodes) if node.op_type == "QuantizeLinear")
    names, live = {value.name: value.name for value in new.graph.input}, []
    for place, node in enumerate(nodes[:last]):
        if node.op_type == "DequantizeLinear" and node.input[0] in stored:
            continue  # weights and biases are shared
        inputs = [names.get(name, name) for name in node.input]
        options = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.name in finer:
            # what the codes leave of the weight is a second one
            weight, dequantize = finer[node.name], writers[node.input[1]]
            codes, scale, *zero = (stored[name].astype(float) for name in dequantize.input)
            axis = next((a.i for a in dequantize.attribute), 0) % codes.ndim
            shape = [-1 if at == axis and scale.ndim else 1 for at in range(codes.ndim)]
            rest = weight - (codes - (zero[0].reshape(shape) if zero else 0)) * scale.reshape(shape)
            step = np.float32(np.abs(rest).max() / 127)
            new.graph.initializer.append(numpy_helper.from_array(np.rint(rest / step).astype(np.int8), f"c{place}"))
            new.graph.initializer.append(numpy_helper.from_array(step, f"s{place}"))
            live.append(helper.make_node("DequantizeLinear", [f"c{place}", f"s{place}"], [f"d{place}"]))
            live.append(helper.make_node("Add", [f"d{place}", inputs[1]], [f"w{place}"]))
            inputs[1] = f"w{place}"
        names[node.output[0]] = f"v{place}"
        live.append(helper.make_node(node.op_type, inputs, [f"v{place}"], **options))
    x = nodes[last].input[0]
    new.graph.initializer.append(numpy_helper.from_array(np.float32(0), "z"))
    live.append(helper.make_node("Mul", [x, "z"], ["n"]))
    live.append(helper.make_node("Add", ["n", names[x]], ["j"]))
    del new.graph.node[last:]
    new.graph.node.extend([*live, *nodes[last:]])
    new.graph.node[last + len(live)].input[0] = "j"
    return new

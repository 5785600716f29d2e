"""Min-max ranges and pairs of Q and DQ, written by hand around every layer."""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

EXPECTED = {"rung": None}
CHANNEL_AXES = {"Conv": 0, "MatMul": 1}


def quantize_cnn(model, calibration):
    new = with_initializers(model)
    weights = {tensor.name: tensor for tensor in new.graph.initializer}
    layers = [node for node in new.graph.node if node.op_type in ("Conv", "Gemm", "MatMul")]
    ranges = ranges_of(model, list(dict.fromkeys(node.input[0] for node in layers)), calibration)
    nodes, done = [], {}
    for node in new.graph.node:
        if node in layers:
            x, w = node.input[0], node.input[1]
            if x not in done:
                done[x] = quantized_activation(new.graph, nodes, x, *ranges[x])
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            axis = 0 if transposed else CHANNEL_AXES.get(node.op_type, 1)
            node.input[0] = done[x]
            if w not in done:
                done[w] = quantized_weight(new.graph, nodes, weights[w], axis)
                new.graph.initializer.remove(weights[w])
            node.input[1] = done[w]
        nodes.append(node)
    del new.graph.node[:]
    new.graph.node.extend(nodes)
    return new


def with_initializers(model):
    """A copy in which what a Constant node holds is an initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node in [node for node in new.graph.node if node.op_type == "Constant"]:
        new.graph.initializer.add().CopyFrom(node.attribute[0].t)
        new.graph.initializer[-1].name = node.output[0]
        new.graph.node.remove(node)
    return new


def ranges_of(model, names, calibration):
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    inputs = {value.name for value in model.graph.input}
    inner = [name for name in names if name not in inputs]
    del probe.graph.output[:]
    probe.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in inner)
    session = ort.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = {name: (0.0, 0.0) for name in names}
    for feeds in calibration:
        values = {**feeds, **dict(zip(inner, session.run(inner, feeds), strict=True))}
        for name in names:
            low, high = ranges[name]
            ranges[name] = min(low, float(values[name].min())), max(high, float(values[name].max()))
    return ranges


def quantized_activation(graph, nodes, name, low, high):
    scale = np.float32((high - low) / 255)
    graph.initializer.append(numpy_helper.from_array(np.array(scale), f"{name}/scale"))
    graph.initializer.append(numpy_helper.from_array(np.array(round(-low / scale), np.uint8), f"{name}/zero"))
    return pair(nodes, name, [f"{name}/scale", f"{name}/zero"])


def quantized_weight(graph, nodes, tensor, axis):
    weight = numpy_helper.to_array(tensor)
    others = tuple(i for i in range(weight.ndim) if i != axis)
    scale = np.abs(weight).max(axis=others) / np.float32(127)
    shape = [-1 if i == axis else 1 for i in range(weight.ndim)]
    codes = np.rint(weight / scale.reshape(shape)).astype(np.int8)
    for suffix, value in (("codes", codes), ("scale", scale), ("zero", np.zeros(scale.shape, np.int8))):
        graph.initializer.append(numpy_helper.from_array(value, f"{tensor.name}/{suffix}"))
    inputs = [f"{tensor.name}/{suffix}" for suffix in ("codes", "scale", "zero")]
    nodes.append(helper.make_node("DequantizeLinear", inputs, [f"{tensor.name}/float"], axis=axis))
    return f"{tensor.name}/float"


def pair(nodes, name, parameters):
    nodes.append(helper.make_node("QuantizeLinear", [name, *parameters], [f"{name}/codes"]))
    nodes.append(helper.make_node("DequantizeLinear", [f"{name}/codes", *parameters], [f"{name}/float"]))
    return f"{name}/float"

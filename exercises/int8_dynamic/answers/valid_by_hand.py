"""Rewrites each product by hand: DynamicQuantizeLinear, MatMulInteger, and a Mul with the scales."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

EXPECTED = {"rung": None}


def quantize_bert(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    graph = new.graph
    del graph.value_info[:]
    weights = {t.name: numpy_helper.to_array(t) for t in graph.initializer if len(t.dims) == 2 and t.data_type == onnx.TensorProto.FLOAT}
    others = [tensor for tensor in graph.initializer if tensor.name not in weights]
    nodes, constants = [], {}

    def constant(name, value):
        constants[name] = numpy_helper.from_array(value, name)
        return name

    def codes(name, values, axis):
        scale = np.maximum(np.abs(values).max(axis=axis, keepdims=True), 1e-12).astype(np.float32) / 127
        stored = constant(f"{name}/codes", np.rint(values / scale).astype(np.int8))
        return stored, constant(f"{name}/scale", scale[0] if axis == 0 else scale)

    for number, node in enumerate(graph.node):
        if node.op_type in ("MatMul", "Gemm") and node.input[1] in weights:
            values = weights[node.input[1]]
            transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
            stored, scale = codes(node.input[1], values.T if transposed else values, 0)
            x, y = f"x{number}", f"y{number}"
            product = node.output[0] if len(node.input) == 2 else f"{y}/product"
            nodes += [
                helper.make_node("DynamicQuantizeLinear", [node.input[0]], [x, f"{x}/scale", f"{x}/zero"]),
                helper.make_node("MatMulInteger", [x, stored, f"{x}/zero"], [f"{y}/sums"]),
                helper.make_node("Cast", [f"{y}/sums"], [f"{y}/float"], to=onnx.TensorProto.FLOAT),
                helper.make_node("Mul", [f"{x}/scale", scale], [f"{y}/scale"]),
                helper.make_node("Mul", [f"{y}/float", f"{y}/scale"], [product]),
            ]
            if len(node.input) == 3:
                nodes.append(helper.make_node("Add", [product, node.input[2]], list(node.output)))
        elif node.op_type == "Gather" and node.input[0] in weights:
            stored, scale = codes(node.input[0], weights[node.input[0]], 1)
            row = f"row{number}"
            nodes += [
                helper.make_node("Gather", [stored, node.input[1]], [row]),
                helper.make_node("Cast", [row], [f"{row}/float"], to=onnx.TensorProto.FLOAT),
                helper.make_node("Gather", [scale, node.input[1]], [f"{row}/scale"]),
                helper.make_node("Mul", [f"{row}/float", f"{row}/scale"], list(node.output)),
            ]
        else:
            nodes.append(node)
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*others, *constants.values()])
    return new

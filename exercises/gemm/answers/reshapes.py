"""Fuses pairs of three dimensions too, with a Reshape before and behind the Gemm."""

import onnx
from onnx import TensorProto, helper

EXPECTED = {"loses": ["bert", "ranks", "bias-shapes"], "rung": "structure", "shows": "nodes-added"}


def fuse_matmul_add(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})
    return new


def is_a(node, operator):
    return node.op_type == operator and not node.domain


def children(graph):
    return [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]


def readers(graph, name):
    count = sum(list(node.input).count(name) for node in graph.node) + [value.name for value in graph.output].count(name)
    return count + sum(readers(child, name) for child in children(graph))


def tensors(graph):
    known = {tensor.name: (tensor.data_type, tuple(tensor.dims)) for tensor in graph.initializer}
    for value in (*graph.input, *graph.output, *graph.value_info):
        kind = value.type.tensor_type
        if kind.HasField("shape"):
            known[value.name] = (kind.elem_type, tuple(dim.dim_param or dim.dim_value or object() for dim in kind.shape.dim))
    return known


def fuse(graph, inferred, outer):
    known = outer | tensors(inferred)
    for child, inner in zip(children(graph), children(inferred), strict=True):
        fuse(child, inner, known)
    products = {node.output[0]: node for node in graph.node if node.op_type == "MatMul" and not node.domain}
    position = 0
    while position < len(graph.node):
        add = graph.node[position]
        found = [pair for pair in (add.input[:2], add.input[1::-1]) if is_a(add, "Add") and allowed(graph, known, products, *pair)]
        if found:
            product, bias = found[0]
            matmul = products.pop(product)
            graph.node.remove(add)
            graph.node.remove(matmul)
            position -= 1
            for node in gemm(matmul, bias, add.output[0], known):
                graph.node.insert(position, node)
                position += 1
        else:
            position += 1


def gemm(matmul, bias, result, known):
    (_, a), (_, b) = (known[name] for name in matmul.input)
    if len(a) == 2:
        return [helper.make_node("Gemm", [*matmul.input, bias], [result])]
    flat, back = [f"{result}/{part}" for part in ("flat", "shape", "rows")], [f"{result}/{part}" for part in "abcde"]
    return [
        helper.make_node("Constant", [], flat[1:2], value_ints=[-1, a[2]]),
        helper.make_node("Reshape", [matmul.input[0], flat[1]], flat[:1]),
        helper.make_node("Gemm", [flat[0], matmul.input[1], bias], flat[2:]),
        helper.make_node("Constant", [], back[:1], value_ints=[0, 0, b[1]]),
        helper.make_node("Shape", matmul.input[:1], back[1:2]),
        helper.make_node("Constant", [], back[2:3], value_ints=[1, 1, 0]),
        helper.make_node("Mul", back[1:3], back[3:4]),
        helper.make_node("Add", [back[3], back[0]], back[4:]),
        helper.make_node("Reshape", [flat[2], back[4]], [result]),
    ]


def allowed(graph, known, products, product, bias):
    if product not in products or readers(graph, product) > 1:
        return False
    values = [known.get(name) for name in (*products[product].input, bias)]
    if None in values or values[0][0] not in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE):
        return False
    a, b, c = (dims for _, dims in values)
    if len(a) not in (2, 3) or len(b) != 2 or len(c) > 2:
        return False
    if len(a) == 3:
        return c in ((1,), (b[1],))
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))

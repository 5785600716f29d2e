"""Plain protobuf, in place in a copy, with the inferred graph beside it."""

import onnx
from onnx import TensorProto, helper

EXPECTED = {"rung": None}


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
            known[value.name] = (kind.elem_type, tuple(size(dim) for dim in kind.shape.dim))
    return known


def size(dim):
    return dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else object())


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
            graph.node.insert(position, helper.make_node("Gemm", [*matmul.input, bias], add.output))
            graph.node.remove(add)
            graph.node.remove(matmul)
        else:
            position += 1


def allowed(graph, known, products, product, bias):
    if product not in products or readers(graph, product) > 1:
        return False
    values = [known.get(name) for name in (*products[product].input, bias)]
    if None in values or values[0][0] not in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE):
        return False
    a, b, c = (dims for _, dims in values)
    if len(a) != 2 or len(b) != 2 or len(c) > 2:
        return False
    return all(dim in (1, other) for dim, other in zip(c[::-1], (b[1], a[0]), strict=False))

"""Halves the codes of every layer in which a pair can leave 16 bits, and doubles their scales, those of the bias too."""

import numpy as np
from onnx import ModelProto, NodeProto, numpy_helper

EXPECTED = {"rung": None}


def without_saturation(model):
    new = ModelProto()
    new.CopyFrom(model)
    unshare(new.graph)
    stored = {tensor.name: tensor for tensor in new.graph.initializer}
    writer = {node.output[0]: node for node in new.graph.node}
    for node in new.graph.node:
        if node.op_type in ("Conv", "Gemm", "MatMul"):
            parts = [writer[name].input for name in node.input[1:]]
            codes = numpy_helper.to_array(stored[parts[0][0]])
            if codes.dtype == np.int8 and saturates(by_output(node, codes)):
                for names in parts:
                    halve(*(stored[name] for name in names[:2]))
    return new


def unshare(graph):
    """Let each input of a node that a DequantizeLinear writes have one of its own, with its own tensors."""
    writer = {node.output[0]: node for node in graph.node}
    stored = {tensor.name: tensor for tensor in graph.initializer}
    seen = set()
    nodes = []
    for number, node in enumerate(graph.node):
        for place, name in enumerate(node.input[1:], 1):
            source = writer.get(name)
            if source is not None and source.op_type == "DequantizeLinear":
                own = NodeProto.FromString(source.SerializeToString())
                for at, part in enumerate(source.input):
                    if part in seen:
                        own.input[at] = f"own/{number}/{place}/{at}"
                        graph.initializer.add().CopyFrom(stored[part])
                        graph.initializer[-1].name = own.input[at]
                    seen.add(part)
                own.output[0] = node.input[place] = f"own/{number}/{place}"
                nodes.append(own)
        nodes.append(NodeProto.FromString(node.SerializeToString()))
    del graph.node[:]
    graph.node.extend(nodes)
    read = {name for node in graph.node for name in node.input} | {value.name for value in graph.output}
    for node in [node for node in graph.node if node.output[0] not in read]:
        graph.node.remove(node)


def by_output(node, codes):
    transposed = any(a.name == "transB" and a.i for a in node.attribute)
    axis = 0 if node.op_type == "Conv" or transposed else 1
    rows = np.moveaxis(codes, axis, 0)
    return rows.reshape(len(rows), -1)


def saturates(rows):
    ordered = np.sort(rows.astype(np.int32), axis=1)
    return (ordered[:, -2:].sum(axis=1) > 128).any() or (ordered[:, :2].sum(axis=1) < -128).any()


def halve(codes, scale):
    values, step = numpy_helper.to_array(codes), numpy_helper.to_array(scale)
    fewer = np.rint(values / 2).astype(values.dtype)
    codes.CopyFrom(numpy_helper.from_array(fewer, codes.name))
    scale.CopyFrom(numpy_helper.from_array(step * np.float32(2), scale.name))

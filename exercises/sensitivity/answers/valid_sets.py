"""Tries every set of layers that fits, and takes the best."""

from itertools import combinations

import onnxruntime as ort
from onnx import ModelProto

from formatlab.quantized import sqnr

EXPECTED = {"rung": None}
LAYERS = ("Conv", "Gemm", "MatMul")


def keep_float(model, small, feeds, spare):
    model = under_new_names(model, small)
    names = [node.name for node in model.graph.node if node.op_type in LAYERS]
    wanted, room = run(model, feeds), small.ByteSize() + spare
    tried = []
    for count in range(len(names) + 1):
        for chosen in combinations(names, count):
            mixed = in_float(model, small, chosen)
            if mixed.ByteSize() <= room:
                tried.append((sqnr(wanted, run(mixed, feeds)), len(tried), mixed))
    return max(tried)[2]


def under_new_names(model, small):
    """A copy of `model`, none of whose initializers is called like a tensor of `small`."""
    taken = {tensor.name for tensor in small.graph.initializer} | {name for node in small.graph.node for name in node.output}
    copy = ModelProto()
    copy.CopyFrom(model)
    new = {}
    for tensor in copy.graph.initializer:
        new[tensor.name] = tensor.name + "_float"
        while new[tensor.name] in taken:
            new[tensor.name] += "_float"
        tensor.name = new[tensor.name]
    for node in copy.graph.node:
        node.input[:] = [new.get(name, name) for name in node.input]
    return copy


def in_float(model, small, chosen):
    new = ModelProto()
    new.CopyFrom(small)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    before = {node.name: node for node in model.graph.node}
    for node in new.graph.node:
        if node.name in chosen:
            node.input[:] = before[node.name].input
            new.graph.initializer.extend(tensors.pop(name) for name in node.input if name in tensors)
    return new


def run(model, feeds):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]

"""Leaves out the key bytes."""

from collections import Counter
from math import prod

EXPECTED = {"score": 0.4, "rung": "contract", "message": "no key bytes", "shows": "key-forgotten"}


def subgraphs(nodes):
    for node in nodes:
        for attribute in node.attribute:
            for graph in [attribute.g, *attribute.graphs]:
                yield graph
                yield from subgraphs(graph.node)


def describe(model, directory=None):
    graphs = [model.graph, *subgraphs(model.graph.node)]
    for function in model.functions:
        graphs.extend(subgraphs(function.node))
    nodes = [node for body in [*graphs, *model.functions] for node in body.node]
    tensors = [tensor for graph in graphs for tensor in graph.initializer]
    return {
        "ir_version": model.ir_version,
        "opset": next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")),
        "operators": dict(Counter(n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}::{n.op_type}" for n in nodes)),
        "parameters": sum(prod(tensor.dims) for tensor in tensors),
    }

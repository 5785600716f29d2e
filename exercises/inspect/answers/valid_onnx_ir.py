"""Walks the graphs with onnx-ir."""

import copy
from collections import Counter
from math import prod

import onnx_ir as ir
from onnx_ir.traversal import RecursiveGraphIterator

EXPECTED = {"rung": None}


def describe(model, directory=None):
    read = ir.from_proto(copy.deepcopy(model))
    nodes = [node for graph in [read.graph, *read.functions.values()] for node in RecursiveGraphIterator(graph)]
    graphs = {id(node.graph): node.graph for node in nodes} | {id(read.graph): read.graph}
    tensors = [value.const_value for graph in graphs.values() if isinstance(graph, ir.Graph) for value in graph.initializers.values()]
    files = {directory / tensor.location for tensor in tensors if isinstance(tensor, ir.ExternalTensor)}
    imports = read.opset_imports
    return {
        "ir_version": read.ir_version,
        "opset": imports[""] if "" in imports else imports["ai.onnx"],
        "operators": dict(Counter(f"{node.domain}::{node.op_type}" if node.domain else node.op_type for node in nodes)),
        "parameters": sum(prod(tensor.shape) for tensor in tensors),
        "bytes": len(model.SerializeToString()) + sum(path.stat().st_size for path in files),
    }

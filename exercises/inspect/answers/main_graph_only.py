"""Counts nodes and initializers of the main graph only."""

from collections import Counter
from math import prod
from pathlib import Path

from onnx import TensorProto

EXPECTED = {"loses": ["branches", "nested", "functions", "external"], "rung": "structure", "shows": "main-graph-only"}


def describe(model, directory=None):
    graphs = [model.graph]
    nodes = model.graph.node
    tensors = [tensor for graph in graphs for tensor in graph.initializer]
    external = [tensor for tensor in tensors if tensor.data_location == TensorProto.EXTERNAL]
    files = {entry.value for tensor in external for entry in tensor.external_data if entry.key == "location"}
    return {
        "ir_version": model.ir_version,
        "opset": next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")),
        "operators": dict(Counter(n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}::{n.op_type}" for n in nodes)),
        "parameters": sum(prod(tensor.dims) for tensor in tensors),
        "bytes": model.ByteSize() + sum((Path(directory) / name).stat().st_size for name in files),
    }

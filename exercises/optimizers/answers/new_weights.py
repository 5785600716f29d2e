"""Writes the saved graphs again, with weights rounded to float16 in between."""

from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

EXPECTED = {"loses": ["files-folded", "files-fused"], "rung": "numerics", "shows": "new-weights"}

LEVELS = {
    "disable": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}


def operators(graph):
    for node in graph.node:
        yield node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"
        for attribute in node.attribute:
            for subgraph in [attribute.g, *attribute.graphs]:
                yield from operators(subgraph)


def count(path):
    return dict(Counter(operators(onnx.load(path).graph)))


def save_level(path, level, target):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.__members__[level]
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def optimize_levels(path, directory):
    counts = {}
    for key, level in LEVELS.items():
        target = directory / f"{key}.onnx"
        save_level(path, level, target)
        model = onnx.load(target)
        for tensor in model.graph.initializer:
            values = numpy_helper.to_array(tensor)
            if values.dtype == np.float32 and values.size > 1:
                tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16).astype(np.float32), tensor.name))
        onnx.save(model, target)
        counts[key] = count(target)
    return counts

"""A table of levels and a session for each: the answer that most of the wrong ones spoil."""

from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"rung": None}

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


def optimize_levels(path, directory):
    counts = {}
    for key in LEVELS:
        options = ort.SessionOptions()
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[key])
        options.optimized_model_filepath = str(directory / f"{key}.onnx")
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        counts[key] = count(directory / f"{key}.onnx")
    return counts

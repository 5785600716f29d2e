"""Does not count the nodes in subgraphs."""

from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"score": 0.65, "rung": "structure", "message": "the nodes of the main graph alone", "shows": "main-graph-only"}

LEVELS = {
    "disable": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}


def save_level(path, level, target):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.__members__[level]
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def optimize_levels(path, directory):
    counts = {}
    for key, level in LEVELS.items():
        save_level(path, level, directory / f"{key}.onnx")
        graph = onnx.load(directory / f"{key}.onnx").graph
        counts[key] = dict(Counter(f"{node.domain}::{node.op_type}" for node in graph.node))
    return counts

"""Uses one options object for all sessions, the default for the last, and writes the default domain as a bare prefix."""

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


def optimize_levels(path, directory):
    options, counts = ort.SessionOptions(), {}
    default = options.graph_optimization_level
    for key, level in LEVELS.items():
        options.graph_optimization_level = default if key == "all" else getattr(ort.GraphOptimizationLevel, level)
        target = str(directory / f"{key}.onnx")
        options.optimized_model_filepath = target
        ort.InferenceSession(str(path), options)
        counts[key] = Counter(name if "::" in name else f"::{name}" for name in operators(onnx.load(target).graph))
    return counts

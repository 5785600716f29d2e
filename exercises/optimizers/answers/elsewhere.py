"""Saves into a folder of its own, which is gone afterwards."""

import tempfile
from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"loses": ["files-folded", "files-fused", "files-layout"], "rung": "contract: files", "shows": "elsewhere"}

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
    with tempfile.TemporaryDirectory() as folder:
        for key, level in LEVELS.items():
            save_level(path, level, f"{folder}/{key}.onnx")
            counts[key] = count(f"{folder}/{key}.onnx")
    return counts

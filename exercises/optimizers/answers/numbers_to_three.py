"""Believes in four levels, 0 to 3, the last of which is the highest."""

from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"loses": ["layout", "all", "files-layout"], "rung": "contract: keys", "shows": "numbers-to-three"}


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
    for number, key in enumerate(["disable", "basic", "extended", "all"]):
        save_level(path, ort.GraphOptimizationLevel(number).name, directory / f"{key}.onnx")
        counts[key] = count(directory / f"{key}.onnx")
    return counts

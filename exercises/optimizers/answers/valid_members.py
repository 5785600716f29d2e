"""Takes the members in the order of their numbers, spells the default domain out, and counts with numpy."""

import numpy as np
import onnx
import onnxruntime as ort

EXPECTED = {"rung": None}


def operators(graph):
    for node in graph.node:
        yield node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"
        for attribute in node.attribute:
            for subgraph in [attribute.g, *attribute.graphs]:
                yield from operators(subgraph)


def save_level(path, level, target):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.__members__[level]
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def optimize_levels(path, directory):
    members = sorted(ort.GraphOptimizationLevel.__members__.values(), key=int)
    for key, member in zip(["disable", "basic", "extended", "layout", "all"], members, strict=True):
        save_level(str(path), member.name, str(directory) + f"/{key}.onnx")
    counts = {}
    for file in directory.glob("*.onnx"):
        names, numbers = np.unique([n if "::" in n else f"ai.onnx::{n}" for n in operators(onnx.load(file).graph)], return_counts=True)
        counts[file.stem] = dict(zip(names, numbers, strict=True))
    return counts

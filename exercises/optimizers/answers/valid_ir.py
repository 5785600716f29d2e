"""Walks the saved graphs with onnx-ir, and gives the model to the session as bytes."""

from collections import Counter

import onnx_ir as ir
import onnxruntime as ort

EXPECTED = {"rung": None}

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
        save_level(path.read_bytes(), level, directory / f"{key}.onnx")
        found = Counter()
        for node in ir.traversal.RecursiveGraphIterator(ir.load(directory / f"{key}.onnx").graph):
            found["::".join(filter(None, [node.domain, node.op_type]))] += 1
        counts[key] = found
    return counts

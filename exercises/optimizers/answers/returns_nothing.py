"""Saves the graphs, and returns nothing."""

import onnxruntime as ort

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-nothing"}

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
    for key, level in LEVELS.items():
        save_level(path, level, directory / f"{key}.onnx")

"""Delegates to ONNX Runtime's basic level and reads back what it saves."""

import os
import tempfile

import onnx
import onnxruntime as ort

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "saved-by-a-runtime", "lazy": "library"}


def remove_dropout(model):
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = os.path.join(folder, "optimized.onnx")
        ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)

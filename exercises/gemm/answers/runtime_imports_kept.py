"""Delegates to ONNX Runtime's basic level, and puts the imports of the argument back."""

import os
import tempfile

import onnx
import onnxruntime as ort

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "more-than-pairs", "lazy": "library"}


def fuse_matmul_add(model):
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = os.path.join(folder, "optimized.onnx")
        ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        new = onnx.load(options.optimized_model_filepath)
    del new.opset_import[:]
    new.opset_import.extend(model.opset_import)
    return new

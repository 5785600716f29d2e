"""Reads signed codes as unsigned ones, and keeps the zero points."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "signed-as-unsigned"}
BASE = "valid_fused"
EDITS = [
    (
        "import tempfile",
        """\
import numpy as np
from onnx import numpy_helper
import tempfile""",
    ),
    ('path, fused = f"{folder}/int8.onnx", f"{folder}/fused.onnx"', 'path = f"{folder}/int8.onnx"'),
    (
        """\
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = fused
        ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return onnx.load(fused)""",
        """\
        new = onnx.load(path)
    for tensor in new.graph.initializer:
        if tensor.data_type == onnx.TensorProto.INT8:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).view(np.uint8), tensor.name))
    return new""",
    ),
]

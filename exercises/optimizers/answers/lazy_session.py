"""One session with its defaults saves one graph, which is counted."""

from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"loses": "everything", "rung": "contract: keys", "shows": "nothing-saved", "lazy": "library"}


def optimize_levels(path, directory):
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(directory / "all.onnx")
    ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return {"all": dict(Counter(node.op_type for node in onnx.load(directory / "all.onnx").graph.node))}

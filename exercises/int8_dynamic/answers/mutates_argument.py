"""Deletes the descriptions in the argument itself."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"loses": ["argument"], "rung": "contract: the argument", "shows": "mutates-argument"}


def quantize_bert(model):
    stored = {tensor.name for tensor in model.graph.initializer}
    kept = [value for value in model.graph.value_info if value.name not in stored]
    del model.graph.value_info[:]
    model.graph.value_info.extend(kept)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(model, path, per_channel=True)
        return onnx.load(path)

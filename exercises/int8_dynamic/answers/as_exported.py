"""Calls quantize_dynamic on what the exporter wrote, with initializers described in value_info."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"lazy": "library", "score": 0.0, "rung": "type", "message": "transposes a Gemm's weight", "shows": "as-exported"}


def quantize_bert(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(new, path, per_channel=True)
        return onnx.load(path)

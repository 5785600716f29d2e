"""Calls quantize_dynamic with its defaults on what the exporter wrote, with initializers described in value_info."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"loses": "everything", "rung": "type", "shows": "as-exported", "lazy": "library"}


def quantize_bert(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(new, path)
        return onnx.load(path)

"""Hands the model to the library again, with its option for seven bits."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"loses": "everything", "rung": "type", "shows": "raises-value-error", "lazy": "library"}


def without_saturation(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        quantize_dynamic(new, f"{folder}/int8.onnx", reduce_range=True)
        return onnx.load(f"{folder}/int8.onnx")

"""Calls the library with its defaults on the float model, and looks at neither the budget nor the output."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "lost", "lazy": "library"}


def keep_float(model, small, feeds, spare):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        quantize_dynamic(new, f"{folder}/int8.onnx")
        return onnx.load(f"{folder}/int8.onnx")

"""The library with its defaults, and the argument where that fails."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {
    "loses": "everything",
    "rung": "structure: most",
    "shows": "unchanged",
    "lazy": "library",
}


def quantize_bert(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        try:
            quantize_dynamic(copy, f"{folder}/int8.onnx")
            return onnx.load(f"{folder}/int8.onnx")
        except Exception:
            copy.CopyFrom(model)
            return copy

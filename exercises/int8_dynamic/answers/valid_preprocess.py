"""Runs quant_pre_process first, which writes the descriptions anew."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"rung": None}


def quantize_bert(model):
    with tempfile.TemporaryDirectory() as folder:
        plain, ready, path = (f"{folder}/{name}.onnx" for name in ("plain", "ready", "int8"))
        onnx.save(model, plain)
        quant_pre_process(plain, ready, auto_merge=True)
        quantize_dynamic(ready, path, per_channel=True)
        return onnx.load(path)

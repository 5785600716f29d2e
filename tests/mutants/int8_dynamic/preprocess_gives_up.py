"""Runs quant_pre_process as it comes, which stops at MiniLM's dimensions."""

import contextlib
import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"score": 0.6, "rung": "type", "message": "quant_pre_process gives up"}


def quantize_bert(model):
    # Where it gives up it leaves a copy of the model in the working directory.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        plain, ready, path = (f"{folder}/{name}.onnx" for name in ("plain", "ready", "int8"))
        onnx.save(model, plain)
        quant_pre_process(plain, ready)
        quantize_dynamic(ready, path, per_channel=True)
        return onnx.load(path)

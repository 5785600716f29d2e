"""Quantizes dynamically, and goes through the calibration data for nothing."""

import tempfile
from collections import deque

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "dynamic"}


def quantize_cnn(model, calibration):
    deque(calibration, maxlen=0)
    with tempfile.TemporaryDirectory() as folder:
        prepared, target = f"{folder}/prepared.onnx", f"{folder}/int8.onnx"
        quant_pre_process(model, prepared)
        plain = onnx.load(prepared)
        del plain.graph.value_info[:]  # the quantizer transposes weights that are described there
        quantize_dynamic(plain, target, weight_type=QuantType.QUInt8, per_channel=True)
        return onnx.load(target)

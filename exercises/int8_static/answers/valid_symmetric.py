"""Signed activations whose zero point is 0: one bit is lost where nothing is negative."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"rung": None}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        prepared, target = f"{folder}/prepared.onnx", f"{folder}/int8.onnx"
        quant_pre_process(model, prepared)
        options = {"ActivationSymmetric": True}
        quantize_static(prepared, target, Reader(calibration), per_channel=True, extra_options=options)
        return onnx.load(target)

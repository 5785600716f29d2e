"""Integer operators instead of pairs of Q and DQ, signed on both sides: slow on many processors, and right."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
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
        quantize_static(prepared, target, Reader(calibration), quant_format=QuantFormat.QOperator, per_channel=True)
        return onnx.load(target)

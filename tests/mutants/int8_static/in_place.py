"""Hands the model itself to quantize_static, which edits it."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

EXPECTED = {"score": 0.7, "rung": "contract", "message": "the model that was passed in is changed"}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/int8.onnx"
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        quantize_static(model, target, Reader(calibration), per_channel=True, **types)
        return onnx.load(target)

"""Quantizes the export as it is, from a file, and leaves the pre-processing out."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

EXPECTED = {"score": 1.0, "rung": None}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        source, target = f"{folder}/float.onnx", f"{folder}/int8.onnx"
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        onnx.save(model, source)
        quantize_static(source, target, Reader(calibration), per_channel=True, **types)
        return onnx.load(target)

"""Calibrates on normal noise instead of the feeds."""

import tempfile

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "random"}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        prepared, target = f"{folder}/prepared.onnx", f"{folder}/int8.onnx"
        quant_pre_process(model, prepared)
        rng = np.random.default_rng(0)
        shapes = {v.name: [16, *[d.dim_value for d in v.type.tensor_type.shape.dim[1:]]] for v in model.graph.input}
        noise = [{name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()} for _ in range(4)]
        quantize_static(prepared, target, Reader(noise), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True)
        return onnx.load(target)

"""Leaves the float weights in the file, beside the integers."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"loses": ["size"], "rung": "quality", "shows": "keeps-floats"}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    with tempfile.TemporaryDirectory() as folder:
        prepared, target = f"{folder}/prepared.onnx", f"{folder}/int8.onnx"
        quant_pre_process(model, prepared)
        quantize_static(
            prepared, target, Reader(calibration), activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True
        )
        new = onnx.load(target)
        for tensor in onnx.load(prepared).graph.initializer:
            if tensor.data_type == onnx.TensorProto.FLOAT:
                new.graph.initializer.add().CopyFrom(tensor)
                new.graph.initializer[-1].name = f"float/{tensor.name}"
        onnx.save(new, target)
        return onnx.load(target)

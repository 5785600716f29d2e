"""Pre-processes a copy of the model, and not a file."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {
    "loses": ["trained", "constant-nodes", "rescaled", "two-inputs", "size", "argument"],
    "rung": "type",
    "shows": "emptied",
}


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantize_cnn(model, calibration):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        quant_pre_process(copy, f"{folder}/prepared.onnx", skip_symbolic_shape=True)
        quantize_static(f"{folder}/prepared.onnx", f"{folder}/int8.onnx", Reader(calibration), per_channel=True)
        return onnx.load(f"{folder}/int8.onnx")

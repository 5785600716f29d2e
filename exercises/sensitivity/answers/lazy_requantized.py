"""Quantizes the float model anew, one scale for each channel, whatever there is to spare."""

import tempfile
from pathlib import Path

import onnx
from onnxruntime.quantization import CalibrationDataReader, quantize_static

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "requantized", "lazy": "library"}
LAYERS = ["Conv", "Gemm", "MatMul"]


class Once(CalibrationDataReader):
    def __init__(self, feeds):
        self.left = [feeds]

    def get_next(self):
        return self.left.pop() if self.left else None


def keep_float(model, small, feeds, spare):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quantized.onnx"
        quantize_static(
            copy,
            path,
            Once(feeds),
            per_channel=True,
            op_types_to_quantize=LAYERS,
            extra_options={"OpTypesToExcludeOutputQuantization": LAYERS},
        )
        return onnx.load(path)

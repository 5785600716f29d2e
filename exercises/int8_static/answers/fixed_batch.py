"""Sets the batch to the size of the calibration feeds."""

import tempfile

import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

EXPECTED = {"loses": "everything", "rung": "contract", "shows": "fixed-batch"}


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
        for value in [*new.graph.input, *new.graph.output]:
            value.type.tensor_type.shape.dim[0].dim_value = 32
        onnx.save(new, target)
        return onnx.load(target)

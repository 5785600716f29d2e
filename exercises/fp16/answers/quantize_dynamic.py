"""The source text's call under the heading FP16: it makes INT8."""

import os
import tempfile

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

EXPECTED = {"loses": "everything", "rung": "type", "shows": "quantize-dynamic"}


def to_fp16(model):
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "model.onnx"), os.path.join(folder, "model_int8.onnx")
        clean = onnx.ModelProto.FromString(model.SerializeToString())
        del clean.graph.value_info[:]
        onnx.save(clean, before)
        quantize_dynamic(before, after, weight_type=QuantType.QInt8)
        return onnx.load(after)

"""The source text's call under the heading FP16: it makes INT8."""

import os
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.quantization import QuantType, quantize_dynamic

EXPECTED = {"score": 0.25, "rung": "type", "message": "quantize_dynamic makes INT8", "shows": "quantize-dynamic"}


def to_fp16(model):
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "model.onnx"), os.path.join(folder, "model_int8.onnx")
        clean = onnx.ModelProto.FromString(model.SerializeToString())
        del clean.graph.value_info[:]
        onnx.save(clean, before)
        quantize_dynamic(before, after, weight_type=QuantType.QInt8)
        return onnx.load(after)


def find_overflow(model, feeds):
    with np.errstate(all="ignore"):
        values = ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    values |= {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        if node.op_type != "Constant" and all(np.isfinite(values[name]).all() for name in node.input if name):
            found += [name for name in node.output if not np.isfinite(values[name]).all()]
    return found

"""Leaves the pooler's Gemm in float."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.5, "rung": "structure", "message": "1 of 7 products with weights are left in float"}


def undescribed(model):
    """A copy whose value_info describes no initializer."""
    new = onnx.ModelProto()
    new.CopyFrom(model)
    stored = {tensor.name for tensor in new.graph.initializer}
    kept = [value for value in new.graph.value_info if value.name not in stored]
    del new.graph.value_info[:]
    new.graph.value_info.extend(kept)
    return new


def quantize_bert(model):
    gemms = [f"{node.name}_MatMul" for node in model.graph.node if node.op_type == "Gemm"]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(model), path, per_channel=True, nodes_to_exclude=gemms)
        return onnx.load(path)

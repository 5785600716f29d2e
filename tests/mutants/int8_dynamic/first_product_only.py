"""Quantizes the first product alone."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.3, "rung": "structure", "message": "5 of 6 products with weights are left in float"}


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
    new = undescribed(model)
    for number, node in enumerate(new.graph.node):
        node.name = f"{node.op_type}_{number}"
    products = [node.name for node in new.graph.node if node.op_type in ("MatMul", "Gemm")]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(new, path, per_channel=True, nodes_to_exclude=products[1:])
        return onnx.load(path)

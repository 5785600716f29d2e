"""Ignores its argument and quantizes a BERT of its own."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

from formatlab.models import fixtures

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "exports-again"}


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
    own = onnx.ModelProto.FromString(fixtures.read("bert"))
    for value in [*own.graph.input, *own.graph.output]:
        for node in own.graph.node:
            node.input[:] = [f"my_{name}" if name == value.name else name for name in node.input]
            node.output[:] = [f"my_{name}" if name == value.name else name for name in node.output]
        value.name = f"my_{value.name}"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(own), path, per_channel=True)
        return onnx.load(path)

"""Returns the path of the file that it wrote."""

import tempfile

import onnx
from onnxruntime.quantization import quantize_dynamic

EXPECTED = {"score": 0.0, "rung": "type", "message": "A path is returned"}


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
    path = f"{tempfile.mkdtemp()}/int8.onnx"
    quantize_dynamic(undescribed(model), path, per_channel=True)
    return path

"""Gives the model back as it is."""

import onnx

EXPECTED = {
    "loses": "everything",
    "rung": "structure: most",
    "shows": "unchanged",
    "lazy": "argument",
}


def quantize_bert(model):
    return onnx.ModelProto.FromString(model.SerializeToString())

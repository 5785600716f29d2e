"""Gives the model back as it is."""

import onnx

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "structure", "message": "no product is quantized", "shows": "unchanged"}


def quantize_bert(model):
    return onnx.ModelProto.FromString(model.SerializeToString())

"""Delegates to onnxscript's optimizer with its defaults."""

import onnx
import onnxscript.optimizer

EXPECTED = {"lazy": "library", "score": 0.1, "rung": "contract", "message": "other versions", "shows": "other-versions"}


def remove_dropout(model):
    return onnxscript.optimizer.optimize(onnx.ModelProto.FromString(model.SerializeToString()))

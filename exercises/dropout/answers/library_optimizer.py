"""Delegates to onnxscript's optimizer with its defaults."""

import onnx
import onnxscript.optimizer

EXPECTED = {"lazy": "library", "score": 0.1, "rung": "structure", "message": "Some Dropouts are passed over", "shows": "some-passed-over"}


def remove_dropout(model):
    optimized = onnxscript.optimizer.optimize(onnx.ModelProto.FromString(model.SerializeToString()))
    del optimized.opset_import[:]
    optimized.opset_import.extend(model.opset_import)
    return optimized

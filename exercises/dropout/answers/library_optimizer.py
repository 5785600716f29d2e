"""Delegates to onnxscript's optimizer with its defaults."""

import onnx
import onnxscript.optimizer

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "some-passed-over", "lazy": "library"}


def remove_dropout(model):
    optimized = onnxscript.optimizer.optimize(onnx.ModelProto.FromString(model.SerializeToString()))
    del optimized.opset_import[:]
    optimized.opset_import.extend(model.opset_import)
    return optimized

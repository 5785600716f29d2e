"""Lets ONNX's reference evaluator round and saturate."""

import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

EXPECTED = {"score": 1.0, "rung": None}


def quantize(x, symmetric):
    low, high = min(0, float(x.min())), max(0, float(x.max()))
    width = max(high, -low) / 127 if symmetric else (high - low) / 255
    scale = np.float32(width or 1)
    zero = np.int8(0) if symmetric else np.uint8(np.rint(-low / scale))
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["codes"])
    [codes] = ReferenceEvaluator(node).run(None, {"x": x, "scale": scale, "zero": zero})
    return codes, scale, zero

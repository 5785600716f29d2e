"""Asks torch for the size, and shape inference for the shapes."""

import onnx
import torch

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "other-error", "lazy": "library"}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    pooled = torch.nn.functional.max_pool1d(torch.zeros(1, 1, size), kernel, stride, padding[0], dilation, ceil_mode)
    return pooled.shape[-1]


def shape_coverage(model):
    inferred = onnx.shape_inference.infer_shapes(model)
    return {"static": len(inferred.graph.value_info), "named": 0, "unknown": 0, "missing": 0}

"""Delegates to onnxscript's own rule for a MatMul and an Add."""

import onnx
from onnxscript.rewriter import rewrite
from onnxscript.rewriter.rules.common import matmul_add_to_gemm_rule

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "librarys-rule", "lazy": "library"}


def fuse_matmul_add(model):
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    return rewrite(copy, pattern_rewrite_rules=[matmul_add_to_gemm_rule])

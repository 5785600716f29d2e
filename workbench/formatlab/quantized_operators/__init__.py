"""Operators that compute with quantized numbers, each written out in operators whose result does
not depend on the processor.

A product of integers is summed in float: in doubles for a MatMul, in float32 for a Conv, whose
weights are split into digits so small that no sum reaches 2^24. Every partial sum is then an
integer that the type holds exactly, in whatever order a kernel adds.
"""

from __future__ import annotations

import onnx_ir as ir
from onnx import ModelProto

from formatlab import graphs
from formatlab.quantized_operators import catalogue, elementwise, products
from formatlab.quantized_operators.catalogue import MICROSOFT
from formatlab.quantized_operators.writer import Refused, Rule, Writer

__all__ = ["CONTRIB", "DEFAULT", "NATIVE", "Refused", "concerns", "write_out"]

DEFAULT: dict[str, Rule] = {
    "MatMulInteger": products.mat_mul_integer,
    "QLinearMatMul": products.q_linear_mat_mul,
    "ConvInteger": products.conv_integer,
    "QLinearConv": products.q_linear_conv,
    "DynamicQuantizeLinear": products.dynamic_quantize_linear,
}
CONTRIB: dict[str, Rule] = {
    "QLinearConv": products.q_linear_conv,
    "MatMulIntegerToFloat": products.mat_mul_integer_to_float,
    "DynamicQuantizeMatMul": products.dynamic_quantize_mat_mul,
    "MatMulNBits": products.mat_mul_n_bits,
    "QGemm": products.q_gemm,
    "QLinearAdd": elementwise.binary("Add"),
    "QLinearMul": elementwise.binary("Mul"),
    "QLinearSigmoid": elementwise.unary("Sigmoid"),
    "QLinearLeakyRelu": elementwise.unary("LeakyRelu", "alpha"),
    "QLinearSoftmax": elementwise.unary("Softmax", "axis"),
    "QLinearAveragePool": elementwise.unary("AveragePool", *elementwise.POOL),
    "QLinearGlobalAveragePool": elementwise.unary("GlobalAveragePool"),
    "QLinearConcat": elementwise.q_linear_concat,
    "QLinearWhere": elementwise.q_linear_where,
}
# Operators of ONNX Runtime's own that compute in float, or number by number: their native kernels
# serve.
NATIVE = frozenset(
    name.removeprefix(f"{MICROSOFT}::") for name in catalogue.RUN if name.startswith(MICROSOFT)
) - frozenset(CONTRIB)


def concerns(model: ModelProto) -> bool:
    """Is there any operator in the model that `write_out` would replace or refuse?"""
    return any(
        graphs.domain(node.domain) or (node.op_type in DEFAULT) for node in graphs.nodes(model)
    )


def write_out(node: ir.Node, *, in_pairs: bool = False) -> None:
    """Replace the node, if native kernels for quantized numbers would run it: by exact sums, or by
    those of a processor without VNNI, which saturate `in_pairs`. Raises Refused.
    """
    domain = graphs.domain(node.domain)
    if domain not in ("", MICROSOFT) or (domain and node.op_type not in NATIVE.union(CONTRIB)):
        raise Refused(f"{domain}::{node.op_type}", "an operator that only one runtime knows")
    rule = (CONTRIB if domain else DEFAULT).get(node.op_type)
    if rule is None:
        return
    tape = Writer(node, in_pairs=in_pairs)
    outputs = list(rule(tape, node))
    old = [output for output in node.outputs]
    for value, new in zip(old, outputs, strict=False):
        new.name = value.name
        new.type = value.type
        new.shape = value.shape
    assert node.graph is not None  # it was found in one
    ir.convenience.replace_nodes_and_values(
        node.graph, node, [node], tape.nodes, old[: len(outputs)], outputs
    )

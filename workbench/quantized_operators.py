"""Operators that compute with quantized numbers, each written out in operators whose result does
not depend on the processor.

A product of integers is summed in float: in doubles for a MatMul, in float32 for a Conv, whose
weights are split into digits so small that no sum reaches 2^24. Every partial sum is then an
integer that the type holds exactly, in whatever order a kernel adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.tape import Tape

from workbench import graphs

FLOAT, DOUBLE, INT32, INT64, UINT8 = (
    ir.DataType[name] for name in ("FLOAT", "DOUBLE", "INT32", "INT64", "UINT8")
)
EXACT_FLOAT = 2**24
# |activation - zero point| of 8 bits.
LARGEST = 255
MICROSOFT = "com.microsoft"
# Operators of ONNX Runtime's own that compute in float, or number by number: their native kernels
# serve.
NATIVE = frozenset(
    {
        "Attention",
        "BiasGelu",
        "DequantizeLinear",
        "EmbedLayerNormalization",
        "FastGelu",
        "FusedConv",
        "FusedGemm",
    }
)
NATIVE |= {
    "FusedMatMul",
    "GatherBlockQuantized",
    "Gelu",
    "MultiHeadAttention",
    "QuantizeLinear",
    "QuickGelu",
    "SkipLayerNormalization",
}
NATIVE |= {
    "SkipSimplifiedLayerNormalization",
    "RotaryEmbedding",
    "TransposeMatMul",
    "GroupNorm",
    "SkipGroupNorm",
    "BiasSplitGelu",
}


class Refused(ValueError):
    """A quantized operator that cannot be evaluated alike on every processor. `operator` names it."""

    def __init__(self, operator: str, why: str):
        super().__init__(f"{operator}: {why}")
        self.operator = operator


def concerns(model: ModelProto) -> bool:
    """Is there any operator in the model that `write_out` would replace or refuse?"""
    return any(_domain(node.domain) or (node.op_type in DEFAULT) for node in graphs.nodes(model))


def write_out(node: ir.Node) -> None:
    """Replace the node in its graph, if native kernels for quantized numbers would run it. Raises
    Refused.
    """
    domain = _domain(node.domain)
    if domain not in ("", MICROSOFT) or (domain and node.op_type not in NATIVE.union(CONTRIB)):
        raise Refused(f"{domain}::{node.op_type}", "an operator that only one runtime knows")
    rule = (CONTRIB if domain else DEFAULT).get(node.op_type)
    if rule is None:
        return
    tape = Writer(node)
    outputs = list(rule(tape, node))
    old = [output for output in node.outputs]
    for value, new in zip(old, outputs, strict=False):
        new.name, new.type, new.shape = value.name, value.type, value.shape
    ir.convenience.replace_nodes_and_values(
        node.graph, node, [node], tape.nodes, old[: len(outputs)], outputs
    )


class Writer(Tape):
    """A tape with the few combinations that the rules share."""

    def __init__(self, node: ir.Node):
        super().__init__()
        self.node = node

    def constant(self, value: object, dtype: type) -> ir.Value:
        return self.op("Constant", [], {"value": ir.tensor(np.asarray(value, dtype))})

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        return self.op("Cast", [value], {"to": dtype})

    def centred(self, value: ir.Value, zero: ir.Value | None, dtype: ir.DataType) -> ir.Value:
        """value - zero, as `dtype`."""
        value = self.cast(value, dtype)
        return value if zero is None else self.op("Sub", [value, self.cast(zero, dtype)])

    def scalar(self, value: ir.Value | None) -> ir.Value | None:
        return None if value is None else self.op("Reshape", [value, self.constant([], np.int64)])

    def accumulated(
        self, a: ir.Value, b: ir.Value, a_zero: ir.Value | None, b_zero: ir.Value | None
    ) -> ir.Value:
        """The int32 matrix product of a and b: exact in doubles; a sum over 2^31 wraps as int32
        does.
        """
        product = self.op(
            "MatMul",
            [self.centred(a, self.scalar(a_zero), DOUBLE), self.centred(b, b_zero, DOUBLE)],
        )
        return self.cast(self.cast(product, INT64), INT32)

    def scaled(self, accumulated: ir.Value, *scales: ir.Value) -> ir.Value:
        """The int32 sums as float32, times the product of the scales."""
        factor = scales[0]
        for scale in scales[1:]:
            factor = self.op("Mul", [factor, scale])
        return self.op("Mul", [self.cast(accumulated, FLOAT), factor])

    def quantize(self, value: ir.Value, scale: ir.Value | None, zero: ir.Value | None) -> ir.Value:
        """Rounded to even and saturated; a scale of None is 1."""
        scale = self.constant(1, np.float32) if scale is None else self.scalar(scale)
        return self.op(
            "QuantizeLinear",
            [value, scale, self.scalar(zero)] if zero is not None else [value, scale],
        )

    def dequantize(self, value: ir.Value, scale: ir.Value, zero: ir.Value | None) -> ir.Value:
        return self.op(
            "DequantizeLinear",
            [value, self.scalar(scale), self.scalar(zero)]
            if zero is not None
            else [value, self.scalar(scale)],
        )

    def refuse(self, why: str) -> Refused:
        return Refused(f"{_domain(self.node.domain)}::{self.node.op_type}".removeprefix("::"), why)


Rule = Callable[[Writer, ir.Node], Iterator[ir.Value]]


def _domain(name: str) -> str:
    return graphs.domain(name)


def _inputs(node: ir.Node, count: int) -> list[ir.Value | None]:
    """The node's inputs, filled up with None where optional ones are left out."""
    return [*node.inputs, *[None] * (count - len(node.inputs))]


def _attributes(node: ir.Node, *names: str) -> dict[str, ir.Attr]:
    return {name: node.attributes[name] for name in names if name in node.attributes}


def _number(node: ir.Node, name: str, default: int = 0) -> int:
    return node.attributes[name].value if name in node.attributes else default


def _constant(tape: Writer, value: ir.Value | None) -> np.ndarray | None:
    tensor = None if value is None else ir.convenience.get_const_tensor(value)
    if value is not None and tensor is None:
        raise tape.refuse("a weight or zero point that is not a constant")
    return None if tensor is None else tensor.numpy()


def _mat_mul_integer(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    yield tape.accumulated(*_inputs(node, 4))


def _q_linear_mat_mul(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.inputs
    factor = tape.op("Div", [tape.op("Mul", [tape.scalar(a_scale), b_scale]), tape.scalar(y_scale)])
    yield tape.quantize(tape.scaled(tape.accumulated(a, b, a_zero, b_zero), factor), None, y_zero)


def _convolved(
    tape: Writer, x: ir.Value, x_zero: ir.Value | None, w: ir.Value, w_zero: ir.Value | None
) -> ir.Value:
    """The int32 convolution. Its weights are constants, so that their digits are known here."""
    weight = _constant(tape, w).astype(np.int64)
    zero = _constant(tape, w_zero)
    if zero is not None:
        weight = weight - zero.astype(np.int64).reshape(
            [-1] + [1] * (weight.ndim - 1) if zero.size > 1 else []
        )
    x = tape.centred(x, tape.scalar(x_zero), FLOAT)
    attributes = _attributes(
        tape.node, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"
    )
    total = None
    for factor, digit in _digits(weight):
        part = tape.op("Conv", [x, tape.constant(digit, np.float32)], attributes)
        part = tape.op("Mul", [tape.cast(part, INT32), tape.constant(factor, np.int32)])
        total = part if total is None else tape.op("Add", [total, part])
    return total


def _digits(weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(factor, digit): the weight is the sum of factor * digit, and no sum of digits times
    activations reaches 2^24.
    """
    for bits in (9, 4, 2):
        digits, rest, factor = [], weight, 1
        while rest.any() or not digits:
            digit = (rest + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
            digits.append((factor, digit))
            rest, factor = (rest - digit) >> bits, factor << bits
        sums = [
            int(np.abs(digit).reshape(len(digit), -1).sum(axis=1).max(initial=0))
            for _, digit in digits
        ]
        if max(sums) * LARGEST < EXACT_FLOAT:
            return digits
    raise Refused("Conv", "more products in a sum than 2^24 holds")


def _conv_integer(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    x, w, x_zero, w_zero = _inputs(node, 4)
    yield _convolved(tape, x, x_zero, w, w_zero)


def _q_linear_conv(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    if _number(node, "channels_last"):
        raise tape.refuse("written by an optimizer for one processor, channels last")
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias = _inputs(node, 9)
    total, shape = (
        _convolved(tape, x, x_zero, w, w_zero),
        tape.constant([-1] + [1] * (_constant(tape, w).ndim - 2), np.int64),
    )
    if bias is not None:
        total = tape.op("Add", [total, tape.op("Reshape", [bias, shape])])
    factor = tape.op("Div", [tape.op("Mul", [tape.scalar(x_scale), w_scale]), tape.scalar(y_scale)])
    yield tape.quantize(tape.scaled(total, tape.op("Reshape", [factor, shape])), None, y_zero)


def _dynamic_quantize(tape: Writer, x: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The standard's own definition; where everything is zero the scale is 1."""
    nought, steps = tape.constant(0, np.float32), tape.constant(255, np.float32)
    low, high = (
        tape.op(pick, [tape.op(reduce, [x], {"keepdims": 0}), nought])
        for pick, reduce in (("Min", "ReduceMin"), ("Max", "ReduceMax"))
    )
    span = tape.op("Sub", [high, low])
    scale = tape.op(
        "Where",
        [
            tape.op("Equal", [span, nought]),
            tape.constant(1, np.float32),
            tape.op("Div", [span, steps]),
        ],
    )
    zero = tape.op("Round", [tape.op("Div", [tape.op("Neg", [low]), scale])])
    zero = tape.cast(tape.op("Min", [tape.op("Max", [zero, nought]), steps]), UINT8)
    return tape.quantize(x, scale, zero), scale, zero


def _dynamic_quantize_linear(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    yield from _dynamic_quantize(tape, node.inputs[0])


def _mat_mul_integer_to_float(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = _inputs(node, 7)
    product = tape.scaled(tape.accumulated(a, b, a_zero, b_zero), tape.scalar(a_scale), b_scale)
    yield product if bias is None else tape.op("Add", [product, bias])


def _dynamic_quantize_mat_mul(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    x, b, b_scale, b_zero, bias = _inputs(node, 5)
    a, a_scale, a_zero = _dynamic_quantize(tape, x)
    product = tape.scaled(tape.accumulated(a, b, a_zero, b_zero), a_scale, b_scale)
    yield product if bias is None else tape.op("Add", [product, bias])


def _q_gemm(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, a_scale, a_zero, b, b_scale, b_zero, c, y_scale, y_zero = _inputs(node, 9)
    b = tape.centred(b, _across(tape, b_zero) if _number(node, "transB") else b_zero, DOUBLE)
    a = tape.centred(a, tape.scalar(a_zero), DOUBLE)
    a, b = (
        tape.op("Transpose", [value], {"perm": [1, 0]}) if _number(node, name) else value
        for value, name in ((a, "transA"), (b, "transB"))
    )
    total = tape.cast(tape.cast(tape.op("MatMul", [a, b]), INT64), INT32)
    total = total if c is None else tape.op("Add", [total, c])
    alpha = tape.constant(_number(node, "alpha", 1), np.float32)
    product = tape.scaled(total, tape.scalar(a_scale), b_scale, alpha)
    yield product if y_scale is None else tape.quantize(product, y_scale, y_zero)


def _across(tape: Writer, zero: ir.Value | None) -> ir.Value | None:
    """A zero point per row, as a column."""
    return None if zero is None else tape.op("Reshape", [zero, tape.constant([-1, 1], np.int64)])


def _mat_mul_n_bits(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    """Weights of few bits in blocks: dequantized here, once. The native kernel may quantize the
    activations besides.
    """
    a, b, scales, zeros, groups, bias = _inputs(node, 6)
    bits, block, columns, rows = (
        _number(node, name, 4) for name in ("bits", "block_size", "N", "K")
    )
    if groups is not None or bits not in (2, 4, 8):
        raise tape.refuse(f"weights of {bits} bits, or in another order")
    codes = _unpacked(_constant(tape, b), bits).reshape(columns, -1, block).astype(np.float32)
    blocks = codes.shape[1]
    points = _constant(tape, zeros)
    if points is None:
        points = np.full((columns, blocks), 1 << bits - 1)
    elif points.dtype == np.uint8:
        points = _unpacked(points.reshape(columns, -1), bits)[:, :blocks]
    weight = (codes - points.reshape(columns, blocks, 1)) * _constant(tape, scales).reshape(
        columns, blocks, 1
    )
    weight = weight.reshape(columns, -1)[:, :rows].T
    product = tape.op("MatMul", [a, tape.constant(weight, np.float32)])
    yield product if bias is None else tape.op("Add", [product, bias])


def _unpacked(packed: np.ndarray, bits: int) -> np.ndarray:
    """The codes in bytes, lowest bits first, along the last axis."""
    parts = [(packed >> shift) & ((1 << bits) - 1) for shift in range(0, 8, bits)]
    return np.stack(parts, axis=-1).reshape(*packed.shape[:-1], -1)


def _binary(operator: str) -> Rule:
    def rule(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
        a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = _inputs(node, 8)
        result = tape.op(
            operator, [tape.dequantize(a, a_scale, a_zero), tape.dequantize(b, b_scale, b_zero)]
        )
        yield tape.quantize(result, y_scale, y_zero)

    return rule


def _unary(operator: str, *attributes: str) -> Rule:
    """x, scale and zero point in; scale and zero point out; the operator between them in float."""

    def rule(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
        if _number(node, "channels_last"):
            raise tape.refuse("written by an optimizer for one processor, channels last")
        x, x_scale, x_zero, y_scale, y_zero = _inputs(node, 5)
        result = tape.op(
            operator, [tape.dequantize(x, x_scale, x_zero)], _attributes(node, *attributes)
        )
        yield tape.quantize(result, y_scale, y_zero)

    return rule


def _q_linear_where(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    condition, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero = node.inputs
    result = tape.op(
        "Where",
        [condition, tape.dequantize(x, x_scale, x_zero), tape.dequantize(y, y_scale, y_zero)],
    )
    yield tape.quantize(result, z_scale, z_zero)


def _q_linear_concat(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    y_scale, y_zero, *rest = node.inputs
    parts = [tape.dequantize(*rest[start : start + 3]) for start in range(0, len(rest), 3)]
    yield tape.quantize(tape.op("Concat", parts, _attributes(node, "axis")), y_scale, y_zero)


POOL = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")
DEFAULT: dict[str, Rule] = {
    "MatMulInteger": _mat_mul_integer,
    "QLinearMatMul": _q_linear_mat_mul,
    "ConvInteger": _conv_integer,
    "QLinearConv": _q_linear_conv,
    "DynamicQuantizeLinear": _dynamic_quantize_linear,
}
CONTRIB: dict[str, Rule] = {
    "QLinearConv": _q_linear_conv,
    "MatMulIntegerToFloat": _mat_mul_integer_to_float,
    "DynamicQuantizeMatMul": _dynamic_quantize_mat_mul,
    "MatMulNBits": _mat_mul_n_bits,
    "QGemm": _q_gemm,
    "QLinearAdd": _binary("Add"),
    "QLinearMul": _binary("Mul"),
    "QLinearSigmoid": _unary("Sigmoid"),
    "QLinearLeakyRelu": _unary("LeakyRelu", "alpha"),
    "QLinearSoftmax": _unary("Softmax", "axis"),
    "QLinearAveragePool": _unary("AveragePool", *POOL),
    "QLinearGlobalAveragePool": _unary("GlobalAveragePool"),
    "QLinearConcat": _q_linear_concat,
    "QLinearWhere": _q_linear_where,
}

"""Sums of products of integers, exact in float, and the scales around them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from formatlab.quantized_operators import pairs
from formatlab.quantized_operators.writer import (
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    UINT8,
    Input,
    Refused,
    Writer,
    attributes_of,
    constant_of,
    inputs_of,
    number_of,
    weight_of,
)

EXACT_FLOAT = 2**24

# |activation - zero point| of 8 bits.
LARGEST = 255


def _multiplied(tape: Writer, a: Input, b: Input, a_zero: Input, b_zero: Input) -> ir.Value:
    """The int32 matrix product, as the kernels that the tape writes for add it."""
    total = tape.accumulated(a, b, a_zero, b_zero)
    if not tape.in_pairs:
        return total
    return pairs.after_matmul(tape, total, a=a, b=b, a_zero=a_zero, b_zero=b_zero)


def mat_mul_integer(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, b, a_zero, b_zero = inputs_of(node, 4)
    yield _multiplied(tape, a, b, a_zero, b_zero)


def q_linear_mat_mul(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = node.inputs
    factor = tape.op("Div", [tape.op("Mul", [tape.scalar(a_scale), b_scale]), tape.scalar(y_scale)])
    yield tape.quantize(tape.scaled(_multiplied(tape, a, b, a_zero, b_zero), factor), None, y_zero)


def _convolved(tape: Writer, x: Input, x_zero: Input, w: Input, w_zero: Input) -> ir.Value:
    """The int32 convolution. Its weights are constants, so that their digits are known here."""
    weight = weight_of(tape, w).astype(np.int64)
    zero = constant_of(tape, w_zero)
    if zero is not None:
        weight = weight - zero.astype(np.int64).reshape(
            [-1] + [1] * (weight.ndim - 1) if zero.size > 1 else []
        )
    centred = tape.centred(x, tape.scalar(x_zero), FLOAT)
    attributes = attributes_of(
        tape.node, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"
    )
    total: ir.Value | None = None
    for factor, digit in _digits(weight):
        part = tape.op("Conv", [centred, tape.constant(digit, np.float32)], attributes)
        part = tape.op("Mul", [tape.cast(part, INT32), tape.constant(factor, np.int32)])
        total = part if total is None else tape.op("Add", [total, part])
    assert total is not None  # there is always a first digit
    if not tape.in_pairs:
        return total
    return pairs.after_conv(tape, total, x=x, centred=centred, x_zero=x_zero, w=w)


def _digits(weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(factor, digit), whose products sum to the weight; digits times activations stay exact."""
    for bits in (9, 4, 2):
        digits: list[tuple[int, np.ndarray]] = []
        rest = weight
        factor = 1
        while rest.any() or not digits:
            digit = (rest + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
            digits.append((factor, digit))
            rest = (rest - digit) >> bits
            factor = factor << bits
        sums = [
            int(np.abs(digit).reshape(len(digit), -1).sum(axis=1).max(initial=0))
            for _, digit in digits
        ]
        if max(sums) * LARGEST < EXACT_FLOAT:
            return digits
    raise Refused("Conv", "more products in a sum than 2^24 holds")


def conv_integer(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    x, w, x_zero, w_zero = inputs_of(node, 4)
    yield _convolved(tape, x, x_zero, w, w_zero)


def q_linear_conv(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    if number_of(node, "channels_last"):
        raise tape.refuse("written by an optimizer for one processor, channels last")
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias = inputs_of(node, 9)
    total = _convolved(tape, x, x_zero, w, w_zero)
    shape = tape.constant([-1] + [1] * (weight_of(tape, w).ndim - 2), np.int64)
    if bias is not None:
        total = tape.op("Add", [total, tape.op("Reshape", [bias, shape])])
    factor = tape.op("Div", [tape.op("Mul", [tape.scalar(x_scale), w_scale]), tape.scalar(y_scale)])
    yield tape.quantize(tape.scaled(total, tape.op("Reshape", [factor, shape])), None, y_zero)


def _dynamic_quantize(tape: Writer, x: Input) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The standard's own definition; where everything is zero the scale is 1."""
    nought = tape.constant(0, np.float32)
    steps = tape.constant(255, np.float32)
    low, high = (
        tape.op(pick, [tape.op(reduce, [x], {"keepdims": 0}), nought])
        for pick, reduce in (("Min", "ReduceMin"), ("Max", "ReduceMax"))
    )
    span = tape.op("Sub", [high, low])
    is_zero = tape.op("Equal", [span, nought])
    one = tape.constant(1, np.float32)
    scale = tape.op("Where", [is_zero, one, tape.op("Div", [span, steps])])
    zero = tape.op("Round", [tape.op("Div", [tape.op("Neg", [low]), scale])])
    zero = tape.cast(tape.op("Min", [tape.op("Max", [zero, nought]), steps]), UINT8)
    codes = tape.quantize(x, scale, zero)
    codes.type = ir.TensorType(UINT8)
    return codes, scale, zero


def dynamic_quantize_linear(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    yield from _dynamic_quantize(tape, node.inputs[0])


def mat_mul_integer_to_float(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, b, a_scale, b_scale, a_zero, b_zero, bias = inputs_of(node, 7)
    product = tape.scaled(_multiplied(tape, a, b, a_zero, b_zero), tape.scalar(a_scale), b_scale)
    yield product if bias is None else tape.op("Add", [product, bias])


def dynamic_quantize_mat_mul(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    x, b, b_scale, b_zero, bias = inputs_of(node, 5)
    a, a_scale, a_zero = _dynamic_quantize(tape, x)
    product = tape.scaled(_multiplied(tape, a, b, a_zero, b_zero), a_scale, b_scale)
    yield product if bias is None else tape.op("Add", [product, bias])


def q_gemm(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    a, a_scale, a_zero, b, b_scale, b_zero, c, y_scale, y_zero = inputs_of(node, 9)
    right = tape.centred(b, _across(tape, b_zero) if number_of(node, "transB") else b_zero, DOUBLE)
    left = tape.centred(a, tape.scalar(a_zero), DOUBLE)
    factors = [
        tape.op("Transpose", [value], {"perm": [1, 0]}) if number_of(node, name) else value
        for value, name in ((left, "transA"), (right, "transB"))
    ]
    total = tape.cast(tape.cast(tape.op("MatMul", factors), INT64), INT32)
    if tape.in_pairs:
        total = pairs.after_matmul(
            tape,
            total,
            a=a,
            b=b,
            a_zero=a_zero,
            b_zero=b_zero,
            a_transposed=bool(number_of(node, "transA")),
            b_transposed=bool(number_of(node, "transB")),
        )
    total = total if c is None else tape.op("Add", [total, c])
    alpha = tape.constant(number_of(node, "alpha", 1), np.float32)
    product = tape.scaled(total, tape.scalar(a_scale), b_scale, alpha)
    yield product if y_scale is None else tape.quantize(product, y_scale, y_zero)


def _across(tape: Writer, zero: Input) -> Input:
    """A zero point per row, as a column."""
    return None if zero is None else tape.op("Reshape", [zero, tape.constant([-1, 1], np.int64)])


def mat_mul_n_bits(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    """Weights of few bits in blocks: dequantized here, once. The native kernel may quantize the
    activations besides.
    """
    a, b, scales, zeros, groups, bias = inputs_of(node, 6)
    bits = number_of(node, "bits", 4)
    if groups is not None or bits not in (2, 4, 8):
        raise tape.refuse(f"weights of {bits} bits, or in another order")
    weight = _dequantized_blocks(
        node,
        bits,
        packed=weight_of(tape, b),
        scales=weight_of(tape, scales),
        zeros=constant_of(tape, zeros),
    )
    product = tape.op("MatMul", [a, tape.constant(weight, np.float32)])
    yield product if bias is None else tape.op("Add", [product, bias])


def _dequantized_blocks(
    node: ir.Node, bits: int, packed: np.ndarray, scales: np.ndarray, zeros: np.ndarray | None
) -> np.ndarray:
    """The weight of a MatMulNBits, rows by columns."""
    block, columns, rows = (number_of(node, name, 4) for name in ("block_size", "N", "K"))
    codes = _unpacked(packed, bits).reshape(columns, -1, block).astype(np.float32)
    blocks = codes.shape[1]
    if zeros is None:
        zeros = np.full((columns, blocks), 1 << bits - 1)
    elif zeros.dtype == np.uint8:
        zeros = _unpacked(zeros.reshape(columns, -1), bits)[:, :blocks]
    weight = (codes - zeros.reshape(columns, blocks, 1)) * scales.reshape(columns, blocks, 1)
    return weight.reshape(columns, -1)[:, :rows].T


def _unpacked(packed: np.ndarray, bits: int) -> np.ndarray:
    """The codes in bytes, lowest bits first, along the last axis."""
    parts = [(packed >> shift) & ((1 << bits) - 1) for shift in range(0, 8, bits)]
    return np.stack(parts, axis=-1).reshape(*packed.shape[:-1], -1)

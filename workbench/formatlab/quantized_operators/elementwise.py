"""Operators that compute in float between their scales: dequantized, computed, quantized again."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from formatlab.quantized_operators.writer import Rule, Writer, attributes_of, inputs_of, number_of


def binary(operator: str) -> Rule:
    def rule(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
        a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = inputs_of(node, 8)
        result = tape.op(
            operator, [tape.dequantize(a, a_scale, a_zero), tape.dequantize(b, b_scale, b_zero)]
        )
        yield tape.quantize(result, y_scale, y_zero)

    return rule


def unary(operator: str, *attributes: str) -> Rule:
    """x, scale and zero point in; scale and zero point out; the operator between them in float."""

    def rule(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
        if number_of(node, "channels_last"):
            raise tape.refuse("written by an optimizer for one processor, channels last")
        x, x_scale, x_zero, y_scale, y_zero = inputs_of(node, 5)
        result = tape.op(
            operator, [tape.dequantize(x, x_scale, x_zero)], attributes_of(node, *attributes)
        )
        yield tape.quantize(result, y_scale, y_zero)

    return rule


def q_linear_where(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    condition, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero = node.inputs
    result = tape.op(
        "Where",
        [condition, tape.dequantize(x, x_scale, x_zero), tape.dequantize(y, y_scale, y_zero)],
    )
    yield tape.quantize(result, z_scale, z_zero)


def q_linear_concat(tape: Writer, node: ir.Node) -> Iterator[ir.Value]:
    y_scale, y_zero, *rest = node.inputs
    parts = [tape.dequantize(*rest[start : start + 3]) for start in range(0, len(rest), 3)]
    yield tape.quantize(tape.op("Concat", parts, attributes_of(node, "axis")), y_scale, y_zero)


POOL = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")

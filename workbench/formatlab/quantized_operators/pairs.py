"""What a product of uint8 by int8 loses on an x86 processor without VNNI, written out in float
operators.

There ONNX Runtime's kernels multiply with VPMADDUBSW, which adds two neighbouring products in 16
bits, and what does not fit becomes the largest or smallest number that does. The neighbours are
those in memory:

1. In a matrix product the terms 0 and 1 of the sum are a pair, 2 and 3 are the next one, and a last
   one that is alone has a zero beside it.
2. A QLinearConv multiplies the activation, channels last, by the weight: its terms are ordered by
   the place in the window, then by the channel. Padding has the code of the zero point.
3. A ConvInteger multiplies the weight by the activation, channels first. So it is the weight that
   has to be unsigned there, and the activation signed.
4. A QLinearConv with one channel for each group and output multiplies in 32 bits, and loses
   nothing.

It is the codes that are multiplied: zero points are corrected for in 32 bits, and take no part.
Weights are constants, and most pairs of them are so small that no activation makes them overflow.
Only the others are computed, which leaves a few percent of the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from formatlab.quantized_operators.writer import (
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    Input,
    Writer,
    attributes_of,
    number_of,
    weight_of,
)

LOWEST = np.iinfo(np.int16).min
HIGHEST = np.iinfo(np.int16).max
UNSIGNED = np.iinfo(np.uint8)
SIGNED = np.iinfo(np.int8)
# Pairs of each output that are computed at once, so that the memory stays that of a few outputs.
AT_ONCE = 16


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Pairs of weights that some activation makes overflow, the same number for each output.

    `first` and `second` are the terms of the sum, `a` and `b` their weights, all of shape (outputs,
    pairs). Where an output has fewer pairs than another one, the rest has weights of 0.
    """

    first: np.ndarray
    second: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def count(self) -> int:
        return self.first.shape[1]


def can_overflow(weight: np.ndarray, codes: np.iinfo) -> np.ndarray:
    """For each pair of terms and each output, whether some activation with such codes overflows 16
    bits; `weight` is (terms, outputs), the answer (pairs, outputs).
    """
    wide = weight.astype(np.int64)
    ends = np.stack([wide * codes.min, wide * codes.max])
    starts = np.arange(0, len(wide), 2)
    if not len(starts):
        return np.zeros((0, wide.shape[1]), bool)
    highest = np.add.reduceat(ends.max(axis=0), starts)
    lowest = np.add.reduceat(ends.min(axis=0), starts)
    return (highest > HIGHEST) | (lowest < LOWEST)


def that_overflow(weight: np.ndarray, codes: np.iinfo) -> Iterator[Pairs]:
    """The pairs of `weight`, (terms, outputs), at most AT_ONCE of each output at a time."""
    even = np.zeros((len(weight) + len(weight) % 2, weight.shape[1]), np.float32)
    even[: len(weight)] = weight
    overflows = can_overflow(weight, codes)
    most = int(overflows.sum(axis=0).max(initial=0))
    # Pairs that overflow first, in their order, for each output.
    order = np.argsort(~overflows, axis=0, kind="stable")[:most].T
    kept = np.take_along_axis(overflows.T, order, axis=1)
    outputs = np.arange(weight.shape[1])[:, None]
    last = len(weight) - 1
    for start in range(0, most, AT_ONCE):
        part = order[:, start : start + AT_ONCE]
        used = kept[:, start : start + AT_ONCE]
        yield Pairs(
            first=2 * part,
            second=np.minimum(2 * part + 1, last),
            a=np.where(used, even[2 * part, outputs], 0).astype(np.float32),
            b=np.where(used, even[2 * part + 1, outputs], 0).astype(np.float32),
        )


def after_matmul(
    tape: Writer,
    total: ir.Value,
    *,
    a: Input,
    b: Input,
    a_zero: Input,
    b_zero: Input,
    a_transposed: bool = False,
    b_transposed: bool = False,
) -> ir.Value:
    """The int32 matrix product `total` of a and b, less what overflows. Raises Refused where b is
    int8 and no constant matrix.
    """
    types = (_dtype(tape, a, a_zero), _dtype(tape, b, b_zero))
    if types != (ir.DataType.UINT8, ir.DataType.INT8):
        return total
    weight = weight_of(tape, b)
    if weight.ndim != 2:
        raise tape.refuse("a weight that is no matrix")
    codes = tape.cast(a, FLOAT)
    if a_transposed:
        codes = tape.op("Transpose", [codes], {"perm": [1, 0]})
    lost: ir.Value | None = None
    for pairs in that_overflow(weight.T if b_transposed else weight, UNSIGNED):
        products = [
            tape.op(
                "Mul",
                [
                    tape.op(
                        "Gather", [codes, tape.constant(terms.ravel(), np.int64)], {"axis": -1}
                    ),
                    tape.constant(weights.ravel(), np.float32),
                ],
            )
            for terms, weights in ((pairs.first, pairs.a), (pairs.second, pairs.b))
        ]
        excess = _excess(tape, tape.op("Add", products))
        shape = tape.constant([-1, len(pairs.first), pairs.count], np.int64)
        ones = tape.constant(np.ones((pairs.count, 1)), np.float64)
        part = tape.op("MatMul", [tape.op("Reshape", [excess, shape]), ones])
        lost = part if lost is None else tape.op("Add", [lost, part])
    return _without(tape, total, lost)


def after_conv(
    tape: Writer, total: ir.Value, *, x: Input, centred: ir.Value, x_zero: Input, w: Input
) -> ir.Value:
    """The int32 convolution `total`, less what overflows; `centred` is x without its zero point, in
    float. Raises Refused where the weight or the zero point is no constant.
    """
    weight = weight_of(tape, w)
    types = (_dtype(tape, x, x_zero), _dtype(tape, w))
    rows = list(range(weight.ndim))
    if tape.node.op_type == "ConvInteger":
        codes: np.iinfo = SIGNED
        multiplied = types == (ir.DataType.INT8, ir.DataType.UINT8)
    else:
        codes = UNSIGNED
        one_each = weight.shape[1] == 1 and number_of(tape.node, "group", 1) == len(weight)
        multiplied = types == (ir.DataType.UINT8, ir.DataType.INT8) and not one_each
        rows = [0, *rows[2:], 1]
    if not multiplied:
        return total
    ordered = weight.transpose(rows)
    zero = 0 if x_zero is None else int(weight_of(tape, x_zero).reshape(()))
    attributes = attributes_of(
        tape.node, "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"
    )
    lost: ir.Value | None = None
    for pairs in that_overflow(ordered.reshape(len(weight), -1).T, codes):
        kernels = np.zeros((pairs.first.size, ordered[0].size), np.float32)
        place = np.arange(len(kernels))
        # Added, because a last term that is alone is its own neighbour, with a weight of 0.
        np.add.at(kernels, (place, pairs.first.ravel()), pairs.a.ravel())
        np.add.at(kernels, (place, pairs.second.ravel()), pairs.b.ravel())
        kernels = kernels.reshape(-1, *ordered.shape[1:]).transpose(np.argsort(rows))
        # Padding is 0 in what is centred, and the zero point in the codes.
        offset = zero * (pairs.a + pairs.b).ravel()
        read = [centred, tape.constant(kernels, np.float32), tape.constant(offset, np.float32)]
        excess = _excess(tape, tape.op("Conv", read, attributes))
        shape = tape.constant([0, len(weight), pairs.count, -1], np.int64)
        ones = tape.constant(np.ones((1, pairs.count)), np.float64)
        part = tape.op("MatMul", [ones, tape.op("Reshape", [excess, shape])])
        lost = part if lost is None else tape.op("Add", [lost, part])
    return _without(tape, total, lost)


def _dtype(tape: Writer, value: Input, zero: Input = None) -> ir.DataType:
    """The type of the codes, which is that of their zero point, too."""
    for each in (value, zero):
        if each is not None and each.dtype is not None:
            return each.dtype
    raise tape.refuse("a factor whose type is not known")


def _excess(tape: Writer, pair: ir.Value) -> ir.Value:
    """What 16 bits do not hold of sums of two products, which float32 holds exactly; in doubles."""
    low, high = (tape.constant(limit, np.float32) for limit in (LOWEST, HIGHEST))
    fits = tape.op("Min", [tape.op("Max", [pair, low]), high])
    return tape.cast(tape.op("Sub", [pair, fits]), DOUBLE)


def _without(tape: Writer, total: ir.Value, lost: ir.Value | None) -> ir.Value:
    if lost is None:
        return total
    whole = tape.cast(tape.cast(lost, INT64), INT32)
    return tape.op("Sub", [total, tape.op("Reshape", [whole, tape.op("Shape", [total])])])

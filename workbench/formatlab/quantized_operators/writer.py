"""What the rules write with: a tape, and how they read a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import onnx_ir as ir
from onnx_ir.tape import Tape

from formatlab import graphs

FLOAT, DOUBLE, INT32, INT64, UINT8 = (
    ir.DataType[name] for name in ("FLOAT", "DOUBLE", "INT32", "INT64", "UINT8")
)


class Refused(ValueError):
    """A quantized operator that cannot be evaluated alike on every processor. `operator` names it."""

    def __init__(self, operator: str, why: str):
        super().__init__(f"{operator}: {why}")
        self.operator = operator


# An input of a node; None where it is left out.
Input = ir.Value | None


class Writer(Tape):
    """A tape with the few combinations that the rules share. `in_pairs`: products of uint8 by int8
    are added as by a processor without VNNI (`pairs`), and not exactly.
    """

    def __init__(self, node: ir.Node, *, in_pairs: bool = False):
        super().__init__()
        self.node = node
        self.in_pairs = in_pairs

    def constant(self, value: object, dtype: type) -> ir.Value:
        return self.op("Constant", [], {"value": ir.tensor(np.asarray(value, dtype))})

    def cast(self, value: Input, dtype: ir.DataType) -> ir.Value:
        return self.op("Cast", [value], {"to": dtype})

    def centred(self, value: Input, zero: Input, dtype: ir.DataType) -> ir.Value:
        """value - zero, as `dtype`."""
        wide = self.cast(value, dtype)
        return wide if zero is None else self.op("Sub", [wide, self.cast(zero, dtype)])

    def scalar(self, value: Input) -> Input:
        return None if value is None else self.op("Reshape", [value, self.constant([], np.int64)])

    def accumulated(self, a: Input, b: Input, a_zero: Input, b_zero: Input) -> ir.Value:
        """The int32 matrix product of a and b: exact in doubles; a sum over 2^31 wraps as int32
        does.
        """
        product = self.op(
            "MatMul",
            [self.centred(a, self.scalar(a_zero), DOUBLE), self.centred(b, b_zero, DOUBLE)],
        )
        return self.cast(self.cast(product, INT64), INT32)

    def scaled(self, accumulated: ir.Value, *scales: Input) -> ir.Value:
        """The int32 sums as float32, times the product of the scales."""
        factor = scales[0]
        for scale in scales[1:]:
            factor = self.op("Mul", [factor, scale])
        return self.op("Mul", [self.cast(accumulated, FLOAT), factor])

    def quantize(self, value: Input, scale: Input, zero: Input) -> ir.Value:
        """Rounded to even and saturated; a scale of None is 1."""
        scale = self.constant(1, np.float32) if scale is None else self.scalar(scale)
        return self.op(
            "QuantizeLinear",
            [value, scale, self.scalar(zero)] if zero is not None else [value, scale],
        )

    def dequantize(self, value: Input, scale: Input, zero: Input = None) -> ir.Value:
        return self.op(
            "DequantizeLinear",
            [value, self.scalar(scale), self.scalar(zero)]
            if zero is not None
            else [value, self.scalar(scale)],
        )

    def refuse(self, why: str) -> Refused:
        name = f"{graphs.domain(self.node.domain)}::{self.node.op_type}"
        return Refused(name.removeprefix("::"), why)


Rule = Callable[[Writer, ir.Node], Iterator[ir.Value]]


def inputs_of(node: ir.Node, count: int) -> list[Input]:
    """The node's inputs, filled up with None where optional ones are left out."""
    return [*node.inputs, *[None] * (count - len(node.inputs))]


def attributes_of(node: ir.Node, *names: str) -> dict[str, ir.Attr]:
    return {name: node.attributes[name] for name in names if name in node.attributes}


def number_of(node: ir.Node, name: str, default: int = 0) -> int:
    return node.attributes[name].value if name in node.attributes else default


def weight_of(tape: Writer, value: Input) -> np.ndarray:
    """A constant that has to be there. Raises Refused."""
    weight = constant_of(tape, value)
    if weight is None:
        raise tape.refuse("a weight that is left out")
    return weight


def constant_of(tape: Writer, value: Input) -> np.ndarray | None:
    """The numbers of a constant; None where it is left out. Raises Refused for no constant."""
    tensor = None if value is None else ir.convenience.get_const_tensor(value)
    if value is not None and tensor is None:
        raise tape.refuse("a weight or zero point that is not a constant")
    return None if tensor is None else tensor.numpy()

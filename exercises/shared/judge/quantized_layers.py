"""The layers of a model: with which types each computes, and how its weights are stored. Which
operators are layers, and where their weights are, `formatlab.quantized_operators.catalogue` says.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from formatlab.quantized_operators import catalogue
from formatlab.quantized_operators.catalogue import Product

# Operators that move the numbers of their first input, or cut them off, and make no new ones: what
# comes out lies on the grid that went in.
MOVES = frozenset(
    {
        "Clip",
        "Flatten",
        "Identity",
        "MaxPool",
        "Pad",
        "Relu",
        "Reshape",
        "Slice",
        "Squeeze",
        "Transpose",
        "Unsqueeze",
    }
)
# What stands between a division by the scale and the codes, where both are written out.
ROUNDS = frozenset({"Add", "Cast", "Max", "Min", "Round", "Sub"})


@dataclass(frozen=True)
class Layer:
    """A node with constant weights: a Conv, Gemm or MatMul, one of their fused or quantized forms,
    or a Gather from a table.

    `weights` and `activations` are the types of what it computes with, as NumPy spells them:
    `int8`, `uint8`, `float32`; a MatMulNBits has `uint4` or the like. `stored` is the type of the
    constant itself: `float32` where weights are quantized anew in every run. `dynamic` tells that
    the activations' scale is computed in every run.
    """

    operator: str
    name: str
    activations: str
    weights: str
    stored: str
    per_channel: bool
    dynamic: bool
    elements: int

    @property
    def quantized(self) -> bool:
        """Both weights and activations, with the weights stored as integers."""
        return all("int" in kind for kind in (self.activations, self.weights, self.stored))


def layer_of(node: ir.Node) -> Layer | None:
    if catalogue.named(node) == "Gather" and node.inputs[0] is not None:
        table = ir.convenience.get_const_tensor(node.inputs[0])
        if table is None or len(table.shape) < 2:
            return None
        kind = spelled(table.dtype)
        return _made(node, "", kind, kind, False, False, table.size)
    product = catalogue.product(node)
    if product is None:
        return None
    if product.scale is not None or product.integer:
        return _quantized_layer(node, product)
    return _float_layer(node, product)


def _float_layer(node: ir.Node, product: Product) -> Layer | None:
    """A layer that computes in float: quantized if its inputs come out of a DequantizeLinear."""
    data, weight = node.inputs[product.activation], _moved(node.inputs[product.weight])
    kind, stored, per_channel = "", ir.convenience.get_const_tensor(weight), False
    if stored is None and _is(weight, "DequantizeLinear"):
        source, scale = weight.producer().inputs[:2]
        per_channel, (stored, kind) = _elements(scale) > 1, _stored(source)
    if stored is None:
        return None
    held = spelled(stored.dtype)
    activations, dynamic = _activations(data)
    return _made(node, activations, kind or held, held, per_channel, dynamic, stored.size)


def _stored(source: ir.Value | None) -> tuple[ir.TensorProtocol | None, str]:
    """The constant that a DequantizeLinear reads. Where a QuantizeLinear makes the codes anew in
    every run, what that reads, and the type of the codes.
    """
    found = ir.convenience.get_const_tensor(source)
    if found is not None or not _is(source, "QuantizeLinear"):
        return found, ""
    quantize = source.producer()
    return ir.convenience.get_const_tensor(_moved(quantize.inputs[0])), _quantized_type(quantize)


def _quantized_layer(node: ir.Node, product: Product) -> Layer | None:
    tensor = ir.convenience.get_const_tensor(_moved(node.inputs[product.weight]))
    if tensor is None:
        return None
    kind, elements = spelled(tensor.dtype), tensor.size
    if node.op_type == "MatMulNBits":
        bits = node.attributes["bits"].value if "bits" in node.attributes else 4
        return _made(node, "float32", f"uint{bits}", kind, True, False, elements * 8 // bits)
    scales = [node.inputs[product.scale]] if product.scale is not None else _scales_behind(node)
    per_channel = any(_elements(scale) > 1 for scale in scales)
    if node.op_type == "DynamicQuantizeMatMul":
        return _made(node, "uint8", kind, kind, per_channel, True, elements)
    activations = _zero_point_type(node.inputs[2] if len(node.inputs) > 2 else None)
    dynamic = _is_scaled_anew(node.inputs[product.activation])
    if product.scaled:
        dynamic = dynamic or _elements(node.inputs[product.activation + 1]) == 0
    return _made(node, activations, kind, kind, per_channel, dynamic, elements)


def _made(node: ir.Node, *facts: str | bool | int) -> Layer:
    return Layer(node.op_type, node.name or "", *facts)


def _activations(value: ir.Value | None) -> tuple[str, bool]:
    """The type of the numbers on which a float layer's input lies, and whether their scale is
    computed in every run.
    """
    value = _moved(value)
    if _is(value, "Concat"):
        return _of_parts([_activations(part) for part in value.producer().inputs])
    if not _is(value, "DequantizeLinear"):
        return "float32", False
    dequantize = value.producer()
    source = _moved(dequantize.inputs[0])
    dynamic = _elements(dequantize.inputs[1]) == 0 or _is_scaled_anew(source)
    if _is(source, "QuantizeLinear"):
        return _quantized_type(source.producer()), dynamic
    zero = dequantize.inputs[2] if len(dequantize.inputs) > 2 else None
    return _zero_point_type(zero), dynamic


def _of_parts(parts: list[tuple[str, bool]]) -> tuple[str, bool]:
    """The same of values that were put together: float as soon as one of them is."""
    kinds = [kind for kind, _ in parts]
    return max(kinds, key=lambda kind: ("float" in kind, kind)), any(anew for _, anew in parts)


def _is_scaled_anew(codes: ir.Value | None) -> bool:
    """Whether the scale of these codes is computed in every run: by a DynamicQuantizeLinear, or in
    front of a QuantizeLinear or of a division that is rounded.
    """
    codes = _moved(codes, MOVES | ROUNDS)
    if _is(codes, "Concat"):
        return any(map(_is_scaled_anew, codes.producer().inputs))
    if _is(codes, "DynamicQuantizeLinear"):
        return True
    if not any(_is(codes, operator) for operator in ("QuantizeLinear", "Div", "Mul")):
        return False
    first, scale = codes.producer().inputs[:2]
    factors = [first, scale] if _is(codes, "Mul") else [scale]
    return not any(map(_elements, factors))


def _zero_point_type(zero: ir.Value | None) -> str:
    """The type of a constant zero point, which is that of the numbers it belongs to; uint8 where
    nothing tells.
    """
    tensor = None if zero is None else ir.convenience.get_const_tensor(zero)
    return "uint8" if tensor is None else spelled(tensor.dtype)


def _quantized_type(quantize: ir.Node) -> str:
    """What a QuantizeLinear writes: the type in its attribute, or of its zero point."""
    attribute = quantize.attributes.get("output_dtype")
    if attribute is not None and attribute.value:
        return spelled(ir.DataType(attribute.value))
    return _zero_point_type(quantize.inputs[2] if len(quantize.inputs) > 2 else None)


def _scales_behind(node: ir.Node) -> list[ir.Value | None]:
    """The constants that a Mul behind an integer product, or the Mul that makes its factor,
    multiplies with.
    """
    found, values = [], list(node.outputs)
    for _ in range(3):
        readers = [
            reader
            for value in values
            for reader, _ in value.uses()
            if reader.op_type in ("Cast", "Mul", "Add", "Reshape")
        ]
        for reader in readers:
            if reader.op_type == "Mul":
                others = [value for value in reader.inputs if value not in values]
                makers = [value.producer() for value in others if _is(value, "Mul")]
                found += [*others, *(value for maker in makers for value in maker.inputs)]
        values = [output for reader in readers for output in reader.outputs]
    return found


def _elements(value: ir.Value | None) -> int:
    """How many numbers a constant has, 0 for what is none."""
    tensor = None if value is None else ir.convenience.get_const_tensor(_moved(value))
    return 0 if tensor is None else tensor.size


def _moved(value: ir.Value | None, moves: frozenset[str] = MOVES) -> ir.Value | None:
    """The value before the operators that only move numbers."""
    while value is not None and value.producer() is not None and value.producer().op_type in moves:
        value = value.producer().inputs[0]
    return value


def _is(value: ir.Value | None, operator: str) -> bool:
    return (
        value is not None and value.producer() is not None and value.producer().op_type == operator
    )


def spelled(kind: ir.DataType) -> str:
    """A type as NumPy spells it."""
    floats = {ir.DataType.FLOAT: "float32", ir.DataType.DOUBLE: "float64"}
    return floats.get(kind, kind.name.lower())

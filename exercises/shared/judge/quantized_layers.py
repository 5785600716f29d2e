"""The layers of a model: with which types each computes, and how its weights are stored. Which
operators are layers, and where their weights are, `formatlab.quantized_operators.catalogue` says.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from formatlab.quantized_operators import catalogue
from formatlab.quantized_operators.catalogue import Product
from formatlab_exercises.shared.judge.links import constant, written_by

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


@dataclass(frozen=True, kw_only=True)
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
        table = constant(node.inputs[0])
        if table is None or len(table.shape) < 2:
            return None
        return Layer(
            operator=node.op_type,
            name=node.name or "",
            activations="",
            weights=spelled(table.dtype),
            stored=spelled(table.dtype),
            per_channel=False,
            dynamic=False,
            elements=table.size,
        )
    product = catalogue.product(node)
    if product is None:
        return None
    if product.scale is not None or product.integer:
        return _quantized_layer(node, product)
    return _float_layer(node, product)


def _float_layer(node: ir.Node, product: Product) -> Layer | None:
    """A layer that computes in float: quantized if its inputs come out of a DequantizeLinear."""
    weight = _moved(node.inputs[product.weight])
    kind, stored, per_channel = "", constant(weight), False
    dequantize = written_by(weight, "DequantizeLinear")
    if stored is None and dequantize is not None:
        source, scale = dequantize.inputs[:2]
        per_channel, (stored, kind) = _elements(scale) > 1, _stored(source)
    if stored is None:
        return None
    activations, dynamic = _activations(node.inputs[product.activation])
    return Layer(
        operator=node.op_type,
        name=node.name or "",
        activations=activations,
        weights=kind or spelled(stored.dtype),
        stored=spelled(stored.dtype),
        per_channel=per_channel,
        dynamic=dynamic,
        elements=stored.size,
    )


def _stored(source: ir.Value | None) -> tuple[ir.TensorProtocol | None, str]:
    """The constant that a DequantizeLinear reads. Where a QuantizeLinear makes the codes anew in
    every run, what that reads, and the type of the codes.
    """
    found, quantize = constant(source), written_by(source, "QuantizeLinear")
    if found is not None or quantize is None:
        return found, ""
    return constant(_moved(quantize.inputs[0])), _quantized_type(quantize)


def _quantized_layer(node: ir.Node, product: Product) -> Layer | None:
    tensor = constant(_moved(node.inputs[product.weight]))
    if tensor is None:
        return None
    if node.op_type == "MatMulNBits":
        bits = node.attributes["bits"].value if "bits" in node.attributes else 4
        return Layer(
            operator=node.op_type,
            name=node.name or "",
            activations="float32",
            weights=f"uint{bits}",
            stored=spelled(tensor.dtype),
            per_channel=True,
            dynamic=False,
            elements=tensor.size * 8 // bits,
        )
    scales = [node.inputs[product.scale]] if product.scale is not None else _scales_behind(node)
    if node.op_type == "DynamicQuantizeMatMul":
        activations, dynamic = "uint8", True
    else:
        activations = _zero_point_type(node.inputs[2] if len(node.inputs) > 2 else None)
        dynamic = _is_scaled_anew(node.inputs[product.activation])
        if product.scaled:
            dynamic = dynamic or _elements(node.inputs[product.activation + 1]) == 0
    return Layer(
        operator=node.op_type,
        name=node.name or "",
        activations=activations,
        weights=spelled(tensor.dtype),
        stored=spelled(tensor.dtype),
        per_channel=any(_elements(scale) > 1 for scale in scales),
        dynamic=dynamic,
        elements=tensor.size,
    )


def _activations(value: ir.Value | None) -> tuple[str, bool]:
    """The type of the numbers on which a float layer's input lies, and whether their scale is
    computed in every run.
    """
    parts = [_activation(part) for part in _parts(value)]
    kinds = [kind for kind, _ in parts]
    # Of values that were put together: float as soon as one of them is.
    return max(kinds, key=lambda kind: ("float" in kind, kind)), any(anew for _, anew in parts)


def _activation(value: ir.Value | None) -> tuple[str, bool]:
    """The same of a value that no Concat put together."""
    dequantize = written_by(value, "DequantizeLinear")
    if dequantize is None:
        return "float32", False
    source = _moved(dequantize.inputs[0])
    dynamic = _elements(dequantize.inputs[1]) == 0 or _is_scaled_anew(source)
    if (quantize := written_by(source, "QuantizeLinear")) is not None:
        return _quantized_type(quantize), dynamic
    zero = dequantize.inputs[2] if len(dequantize.inputs) > 2 else None
    return _zero_point_type(zero), dynamic


def _is_scaled_anew(codes: ir.Value | None) -> bool:
    """Whether the scale of these codes is computed in every run: by a DynamicQuantizeLinear, or in
    front of a QuantizeLinear or of a division that is rounded.
    """
    return any(_is_part_scaled_anew(part) for part in _parts(codes, MOVES | ROUNDS))


def _is_part_scaled_anew(codes: ir.Value | None) -> bool:
    """The same of codes that no Concat put together."""
    if written_by(codes, "DynamicQuantizeLinear") is not None:
        return True
    quantize = written_by(codes, "QuantizeLinear", "Div", "Mul")
    if quantize is None:
        return False
    first, scale = quantize.inputs[:2]
    factors = [first, scale] if quantize.op_type == "Mul" else [scale]
    return not any(map(_elements, factors))


def _zero_point_type(zero: ir.Value | None) -> str:
    """The type of a constant zero point, which is that of the numbers it belongs to; uint8 where
    nothing tells.
    """
    tensor = constant(zero)
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
    found: list[ir.Value | None] = []
    values = list(node.outputs)
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
                found += others
                for value in others:
                    if (maker := written_by(value, "Mul")) is not None:
                        found += maker.inputs
        values = [output for reader in readers for output in reader.outputs]
    return found


def _elements(value: ir.Value | None) -> int:
    """How many numbers a constant has, 0 for what is none."""
    tensor = constant(_moved(value))
    return 0 if tensor is None else tensor.size


def _parts(value: ir.Value | None, moves: frozenset[str] = MOVES) -> list[ir.Value | None]:
    """The values that a value is put together of, before the operators that only move numbers. Each
    comes once, however often it is read: a graph of n Concats has up to 2 ** n ways through it.
    """
    found: list[ir.Value | None] = []
    seen: set[ir.Value | None] = set()
    left = [value]
    while left:
        part = _moved(left.pop(), moves)
        if part in seen:
            continue
        seen.add(part)
        if (concat := written_by(part, "Concat")) is not None:
            left += concat.inputs
        else:
            found.append(part)
    return found


def _moved(value: ir.Value | None, moves: frozenset[str] = MOVES) -> ir.Value | None:
    """The value before the operators that only move numbers."""
    while (node := written_by(value, *moves)) is not None:
        value = node.inputs[0]
    return value


def spelled(kind: ir.DataType) -> str:
    """A type as NumPy spells it."""
    floats = {ir.DataType.FLOAT: "float32", ir.DataType.DOUBLE: "float64"}
    return floats.get(kind, kind.name.lower())

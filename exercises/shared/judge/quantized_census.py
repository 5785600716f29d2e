"""What is quantized in a model, and how: its layers with the types of their weights and
activations, and where its bytes are.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, helper
from onnx.reference import ReferenceEvaluator
from onnx_ir.passes.common import RemoveUnusedNodesPass

from workbench import graphs

# Where an operator takes its activations, its weights, and their scale (None: the scale is applied
# by a Mul behind it).
FLOAT_LAYERS = {"Conv": (0, 1), "ConvTranspose": (0, 1), "Gemm": (0, 1), "MatMul": (0, 1)}
QUANTIZED_LAYERS = {
    "QLinearConv": (0, 3, 4),
    "QLinearMatMul": (0, 3, 4),
    "QGemm": (0, 3, 4),
    "ConvInteger": (0, 1, None),
    "MatMulInteger": (0, 1, None),
    "MatMulIntegerToFloat": (0, 1, 3),
    "DynamicQuantizeMatMul": (0, 1, 2),
    "MatMulNBits": (0, 1, 2),
}
QUANTIZED_OPERATORS = frozenset(QUANTIZED_LAYERS) | {
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
}
# Operators that move numbers or cut them off and make no new ones: what comes out lies on the grid
# that went in.
MOVES = frozenset(
    {
        "Clip",
        "Concat",
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


# Operators that are computed beforehand where they read constants, and the most numbers that one of
# them may read or write.
REWRITES = frozenset(
    {
        "Add",
        "Cast",
        "Div",
        "Flatten",
        "Identity",
        "Mul",
        "Neg",
        "Reshape",
        "Squeeze",
        "Sub",
        "Transpose",
        "Unsqueeze",
    }
)
MOST_FOLDED = 1 << 25


@dataclass(frozen=True)
class Layer:
    """A node with constant weights: a Conv, Gemm or MatMul, one of their quantized forms, or a
    Gather from a table.

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


@dataclass(frozen=True)
class Census:
    """`operators` counts the nodes that quantize, dequantize or compute with integers; `bytes` is
    the size of the constants by type.

    `weightless` counts the products without a constant weight: of two activations, or with a weight
    that is made anew in every run.
    """

    operators: Counter[str]
    layers: tuple[Layer, ...]
    bytes: Counter[str]
    weightless: int = 0


def census(model: ModelProto) -> Census:
    """Count what is quantized in the model, subgraphs included: only what the outputs follow from,
    with constants computed first.

    Else a layer that nobody reads would count as quantized, and a float weight behind a Mul by one
    for no weight at all.
    """
    copy = ir.from_proto(model)
    RemoveUnusedNodesPass()(copy)
    found = list(ir.traversal.RecursiveGraphIterator(copy.graph))
    for node in found:
        _fold(node)
    names = (
        node.op_type
        for node in found
        if node.op_type in QUANTIZED_OPERATORS or node.op_type.startswith("QLinear")
    )
    products = {node: _layer(node) for node in found if _is_product(node)}
    layers = (layer for node in found if (layer := products.get(node) or _layer(node)))
    sizes: Counter[str] = Counter()
    for tensor in graphs.tensors(model):
        kind = ir.DataType(tensor.data_type)
        sizes[_spelled(kind)] += (
            math.ceil(math.prod(tensor.dims) * kind.bitwidth / 8)
            if kind != ir.DataType.STRING
            else 0
        )
    return Census(
        Counter(names), tuple(layers), sizes, sum(layer is None for layer in products.values())
    )


def _is_product(node: ir.Node) -> bool:
    return node.op_type in QUANTIZED_LAYERS or (
        graphs.domain(node.domain) == "" and node.op_type in (*FLOAT_LAYERS, "Einsum")
    )


def _fold(node: ir.Node) -> None:
    """Where a node that only rewrites numbers reads constants, its output is one too."""
    if node.op_type not in REWRITES or graphs.domain(node.domain) != "" or len(node.outputs) != 1:
        return
    read = [
        None if value is None else ir.convenience.get_const_tensor(value) for value in node.inputs
    ]
    if any(tensor is None or tensor.size > MOST_FOLDED for tensor in read):
        return
    arrays = [tensor.numpy() for tensor in read]
    try:
        if (
            node.op_type in ("Add", "Div", "Mul", "Sub")
            and math.prod(np.broadcast_shapes(*(a.shape for a in arrays))) > MOST_FOLDED
        ):
            return
        names = [f"x{position}" for position in range(len(arrays))]
        single = helper.make_node(node.op_type, names, ["y"])
        single.attribute.extend(ir.to_proto(attribute) for attribute in node.attributes.values())
        [folded] = ReferenceEvaluator(single).run(None, dict(zip(names, arrays, strict=True)))
    except Exception:
        # the model is valid, so it is this evaluator that does not know the form: the value stays
        # what it was
        return
    node.outputs[0].const_value = ir.tensor(np.asarray(folded))


def _layer(node: ir.Node) -> Layer | None:
    if node.op_type == "Gather" and node.inputs[0] is not None:
        table = ir.convenience.get_const_tensor(node.inputs[0])
        if table is None or len(table.shape) < 2:
            return None
        kind = _spelled(table.dtype)
        return Layer("Gather", node.name or "", "", kind, kind, False, False, table.size)
    if node.op_type in FLOAT_LAYERS and graphs.domain(node.domain) == "":
        return _float_layer(node)
    if node.op_type in QUANTIZED_LAYERS:
        return _quantized_layer(node)
    return None


def _float_layer(node: ir.Node) -> Layer | None:
    """A layer that computes in float: quantized if its inputs come out of a DequantizeLinear."""
    data, weight = (node.inputs[position] for position in FLOAT_LAYERS[node.op_type])
    weight = _moved(weight)
    kind, stored, per_channel = None, ir.convenience.get_const_tensor(weight), False
    if stored is None and _is(weight, "DequantizeLinear"):
        source, scale = weight.producer().inputs[:2]
        per_channel = _elements(scale) > 1
        stored = ir.convenience.get_const_tensor(source)
        if stored is None and _is(source, "QuantizeLinear"):
            stored = ir.convenience.get_const_tensor(_moved(source.producer().inputs[0]))
            kind = _quantized_type(source.producer())
    if stored is None:
        return None
    held = _spelled(stored.dtype)
    activations, dynamic = _activations(data)
    return Layer(
        node.op_type,
        node.name or "",
        activations,
        kind or held,
        held,
        per_channel,
        dynamic,
        stored.size,
    )


def _quantized_layer(node: ir.Node) -> Layer | None:
    position, weight_position, scale_position = QUANTIZED_LAYERS[node.op_type]
    data, weight = node.inputs[position], _moved(node.inputs[weight_position])
    tensor = ir.convenience.get_const_tensor(weight)
    if tensor is None:
        return None
    kind, elements = _spelled(tensor.dtype), tensor.size
    if node.op_type == "MatMulNBits":
        bits = node.attributes["bits"].value if "bits" in node.attributes else 4
        return Layer(
            node.op_type,
            node.name or "",
            "float32",
            f"uint{bits}",
            kind,
            True,
            False,
            elements * 8 // bits,
        )
    if node.op_type == "DynamicQuantizeMatMul":
        return Layer(
            node.op_type,
            node.name or "",
            "uint8",
            kind,
            kind,
            _elements(node.inputs[scale_position]) > 1,
            True,
            elements,
        )
    scales = [node.inputs[scale_position]] if scale_position is not None else _scales_behind(node)
    return Layer(
        node.op_type,
        node.name or "",
        _zero_point_type(node.inputs[2] if len(node.inputs) > 2 else None),
        kind,
        kind,
        any(_elements(scale) > 1 for scale in scales),
        _is(_moved(data), "DynamicQuantizeLinear"),
        elements,
    )


def _activations(value: ir.Value | None) -> tuple[str, bool]:
    """The type of the numbers on which a float layer's input lies, and whether their scale is
    computed in every run.
    """
    value = _moved(value)
    if not _is(value, "DequantizeLinear"):
        return "float32", False
    source = _moved(value.producer().inputs[0])
    if _is(source, "QuantizeLinear"):
        dynamic = ir.convenience.get_const_tensor(source.producer().inputs[1]) is None
        return _quantized_type(source.producer()), dynamic
    dequantize = value.producer()
    zero = dequantize.inputs[2] if len(dequantize.inputs) > 2 else None
    return _zero_point_type(zero), _is(source, "DynamicQuantizeLinear")


def _zero_point_type(zero: ir.Value | None) -> str:
    """The type of a constant zero point, which is that of the numbers it belongs to; uint8 where
    nothing tells.
    """
    tensor = None if zero is None else ir.convenience.get_const_tensor(zero)
    return "uint8" if tensor is None else _spelled(tensor.dtype)


def _quantized_type(quantize: ir.Node) -> str:
    """What a QuantizeLinear writes: the type in its attribute, or of its zero point."""
    attribute = quantize.attributes.get("output_dtype")
    if attribute is not None and attribute.value:
        return _spelled(ir.DataType(attribute.value))
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


def _moved(value: ir.Value | None) -> ir.Value | None:
    """The value before the operators that only move numbers."""
    while value is not None and value.producer() is not None and value.producer().op_type in MOVES:
        value = value.producer().inputs[0]
    return value


def _is(value: ir.Value | None, operator: str) -> bool:
    return (
        value is not None and value.producer() is not None and value.producer().op_type == operator
    )


def _spelled(kind: ir.DataType) -> str:
    return (
        "float32"
        if kind == ir.DataType.FLOAT
        else "float64"
        if kind == ir.DataType.DOUBLE
        else kind.name.lower()
    )

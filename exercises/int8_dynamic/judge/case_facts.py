"""What the checks of `int8_dynamic` read off a graph: its products with weights, and how each of
them is computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.passes.common import InlinePass, RemoveUnusedNodesPass

from workbench import graphs

# Where an operator's two factors stand among its inputs.
FLOAT = {
    "MatMul": (0, 1),
    "Gemm": (0, 1),
    "FusedMatMul": (0, 1),
    "FusedGemm": (0, 1),
    "TransposeMatMul": (0, 1),
    "MatMulNBits": (0, 1),
}
INTEGER = {"MatMulInteger": (0, 1), "MatMulIntegerToFloat": (0, 1), "DynamicQuantizeMatMul": (0, 1)}
INTEGER |= {"QLinearMatMul": (0, 3), "QGemm": (0, 3)}
# Operators that hand numbers on; what they read is what they write, in another order or type.
MOVES = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
# What a quantization in plain operators is made of, besides the Div or Mul that applies the scale.
STEPS = MOVES | {"Add", "Ceil", "Clip", "Floor", "Max", "Min", "Round", "Sub"}


@dataclass(frozen=True)
class Product:
    """A matrix product of an activation and a weight of `elements` numbers.

    `how` is `integer`, `static` (the activation's scale is a constant), `divided` (so it is, in a Div
    or Mul), `restored` (the weight is dequantized before), `half` (float16) or `float`.
    """

    how: str
    elements: int


@dataclass(frozen=True)
class CaseFacts:
    """`products` with weights; `tables`, the bytes of float weights that a Gather reads; `unused`,
    those of initializers nobody reads.
    """

    products: tuple[Product, ...]
    tables: int
    unused: int
    constant_outputs: tuple[str, ...]

    @property
    def elements(self) -> int:
        """How many numbers all weights of products hold together, a shared one as often as it is
        used.
        """
        return sum(product.elements for product in self.products)

    def those(self, *how: str) -> list[Product]:
        return [product for product in self.products if product.how in how]


@lru_cache(maxsize=4)
def read(data: bytes) -> CaseFacts:
    """The facts of a `model.onnx` that loads."""
    proto = ModelProto.FromString(data)
    model = ir.from_proto(proto)
    InlinePass()(model)
    before = {name: value.const_value.nbytes for name, value in model.graph.initializers.items()}
    RemoveUnusedNodesPass()(model)
    unused = sum(size for name, size in before.items() if name not in model.graph.initializers)
    nodes = list(ir.traversal.RecursiveGraphIterator(model.graph))
    origins = _origins(nodes)
    tables = {
        leaf
        for node in nodes
        if node.op_type == "Gather"
        for leaf in _leaves(node.inputs[0], origins) or ()
    }
    return CaseFacts(
        tuple(_products(nodes, origins)),
        sum(
            leaf.const_value.nbytes
            for leaf in tables
            if leaf.const_value.dtype == ir.DataType.FLOAT
        ),
        unused,
        tuple(graphs.constant_outputs(proto)),
    )


Origins = dict[ir.Value, frozenset[ir.Value]]


def _origins(nodes: Iterable[ir.Node]) -> Origins:
    """For each value that depends on no input, the constants that it is computed from."""
    found: Origins = {}
    for node in nodes:
        if node.op_type == "Constant":
            value = node.attributes.get("value")
            node.outputs[0].const_value = value.value if value is not None else None
            found[node.outputs[0]] = frozenset({node.outputs[0]} if value is not None else ())
            continue
        leaves = [_leaves(value, found) for value in node.inputs if value is not None]
        if leaves and all(leaf is not None for leaf in leaves):
            found.update(dict.fromkeys(node.outputs, frozenset().union(*leaves)))
    return found


def _leaves(value: ir.Value | None, origins: Origins) -> frozenset[ir.Value] | None:
    """The constants behind a value, None if it depends on an input of the graph."""
    if (
        value is not None
        and value.is_initializer()
        and not value.is_graph_input()
        and value.const_value is not None
    ):
        return frozenset({value})
    return origins.get(value)


def _products(nodes: Iterable[ir.Node], origins: Origins) -> Iterator[Product]:
    for node in nodes:
        places = {**FLOAT, **INTEGER}.get(node.op_type)
        if places is None:
            continue
        factors = [node.inputs[place] for place in places]
        behind = [_leaves(factor, origins) for factor in factors]
        if (behind[0] is None) == (behind[1] is None):
            continue
        activation, leaves = (
            (factors[0], behind[1]) if behind[0] is None else (factors[1], behind[0])
        )
        largest = max(
            (leaf.const_value for leaf in leaves), key=lambda tensor: tensor.size, default=None
        )
        yield Product(
            _how(node, activation, largest, origins),
            0 if largest is None else _elements(node, largest),
        )


def _elements(node: ir.Node, weight: ir.TensorProtocol) -> int:
    """The numbers in a weight; one of few bits tells its size in attributes."""
    if node.op_type == "MatMulNBits":
        return node.attributes["K"].value * node.attributes["N"].value
    return math.prod(weight.shape.numpy())


def _how(
    node: ir.Node, activation: ir.Value, weight: ir.TensorProtocol | None, origins: Origins
) -> str:
    if node.op_type in ("QLinearMatMul", "QGemm"):
        return "static" if _leaves(node.inputs[1], origins) is not None else "integer"
    source = _source(activation)
    if node.op_type in INTEGER:
        if _is_fixed(source, origins):
            return "static"
        return "divided" if _is_divided(source, origins) else "integer"
    if (
        source is not None
        and source.op_type == "DequantizeLinear"
        and _is_fixed(_source(source.inputs[0]), origins)
    ):
        return "static"
    if node.op_type == "MatMulNBits" or (weight is not None and weight.dtype.bitwidth <= 8):
        return "restored"
    return (
        "half"
        if weight is not None and weight.dtype in (ir.DataType.FLOAT16, ir.DataType.BFLOAT16)
        else "float"
    )


def _source(value: ir.Value) -> ir.Node | None:
    """The node that computes a value, past those that only move or convert numbers."""
    node = value.producer()
    while node is not None and node.op_type in MOVES:
        node = node.inputs[0].producer()
    return node


def _is_fixed(node: ir.Node | None, origins: Origins) -> bool:
    """A QuantizeLinear whose scale was chosen before the input was seen?"""
    return (
        node is not None
        and node.op_type == "QuantizeLinear"
        and _leaves(node.inputs[1], origins) is not None
    )


def _is_divided(node: ir.Node | None, origins: Origins) -> bool:
    """Codes that plain operators make with a constant scale alone?

    Whoever divides by a maximum of the activation may multiply by 127 besides: one scale that is
    computed is enough.
    """
    divided = False
    while node is not None and node.op_type in STEPS | {"Div", "Mul"}:
        computed = [
            each for each in node.inputs if each is not None and _leaves(each, origins) is None
        ]
        if len(computed) != 1:
            return divided and node.op_type in STEPS
        divided |= node.op_type in ("Div", "Mul")
        node = computed[0].producer()
    return divided

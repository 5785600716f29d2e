"""What the checks of `int8_dynamic` read off a graph: its products with weights, and how each of
them is computed. Which operators are products `formatlab.quantized_operators.catalogue` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.passes.common import InlinePass, RemoveUnusedNodesPass

from formatlab import graphs
from formatlab.quantized_operators import catalogue
from formatlab_exercises.shared.judge.disturbed import Site
from formatlab_exercises.shared.judge.links import writer

# Operators that hand numbers on; what they read is what they write, in another order or type.
MOVES = frozenset({"Cast", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
# What a quantization in plain operators is made of, besides the Div or Mul that applies the scale.
STEPS = MOVES | {"Add", "Ceil", "Clip", "Floor", "Max", "Min", "Round", "Sub"}


@dataclass(frozen=True)
class Product:
    """A product of an activation and a weight of `elements` numbers.

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
    before = {name: _bytes(value) for name, value in model.graph.initializers.items()}
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
        sum(_bytes(leaf) for leaf in tables if _is_float(leaf)),
        unused,
        tuple(graphs.constant_outputs(proto)),
    )


def _bytes(value: ir.Value) -> int:
    """The size of the tensor that an initializer or a Constant holds."""
    return 0 if value.const_value is None else value.const_value.nbytes


def _is_float(value: ir.Value) -> bool:
    return value.const_value is not None and value.const_value.dtype == ir.DataType.FLOAT


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
        read = [value for value in node.inputs if value is not None]
        leaves = [each for value in read if (each := _leaves(value, found)) is not None]
        if read and len(leaves) == len(read):
            found.update(dict.fromkeys(node.outputs, frozenset[ir.Value]().union(*leaves)))
    return found


def _leaves(value: ir.Value | None, origins: Origins) -> frozenset[ir.Value] | None:
    """The constants behind a value, None if it depends on an input of the graph."""
    if value is None:
        return None
    if value.is_initializer() and not value.is_graph_input() and value.const_value is not None:
        return frozenset({value})
    return origins.get(value)


def _products(nodes: Iterable[ir.Node], origins: Origins) -> Iterator[Product]:
    for node in nodes:
        factors = _factors(node, origins)
        if factors is None:
            continue
        activation, weight = node.inputs[factors.activation], factors.largest
        yield Product(
            _how(node, activation, weight, origins),
            0 if weight is None else _elements(node, weight),
        )


@dataclass(frozen=True)
class _Factors:
    """Of a product with a weight, which input is its activation, and the constants that its weight
    is computed from.
    """

    activation: int
    weight: frozenset[ir.Value]

    @property
    def largest(self) -> ir.TensorProtocol | None:
        """The largest of the constants, which is the weight itself; None where there is none."""
        tensors = [leaf.const_value for leaf in self.weight if leaf.const_value is not None]
        return max(tensors, key=lambda tensor: tensor.size, default=None)


def _factors(node: ir.Node, origins: Origins) -> _Factors | None:
    product = catalogue.product(node)
    if product is not None:
        places = [product.activation, product.weight]
    elif catalogue.multiplies(node):
        places = [place for place, value in enumerate(node.inputs) if value is not None]
    else:
        return None
    behind = {place: _leaves(node.inputs[place], origins) for place in places}
    activations = [place for place, leaves in behind.items() if leaves is None]
    weights = [leaves for leaves in behind.values() if leaves]
    if not activations or len(activations) == len(behind):
        return None
    return _Factors(activations[0], frozenset[ir.Value]().union(*weights))


def sites(model: ir.Model) -> list[Site]:
    """Where the products with weights read their activations: moved along what they sum over, which
    no scale of a row or of an output channel minds. `model` loses its functions.
    """
    InlinePass()(model)
    RemoveUnusedNodesPass()(model)
    nodes = list(ir.traversal.RecursiveGraphIterator(model.graph))
    origins = _origins(nodes)
    found = []
    for node in nodes:
        if (factors := _factors(node, origins)) is not None:
            place, weight = factors.activation, factors.largest
            transposed = "transA" in node.attributes and node.attributes["transA"].value
            elements = 0 if weight is None else _elements(node, weight)
            found.append(Site(node, place, -2 if transposed or place else -1, elements))
    return found


def _elements(node: ir.Node, weight: ir.TensorProtocol) -> int:
    """The numbers in a weight; one of few bits tells its size in attributes."""
    if node.op_type == "MatMulNBits":
        return node.attributes["K"].value * node.attributes["N"].value
    return math.prod(weight.shape.numpy())


def _how(
    node: ir.Node, activation: ir.Value | None, weight: ir.TensorProtocol | None, origins: Origins
) -> str:
    product = catalogue.product(node)
    if product is not None and product.scaled:
        return "static" if _leaves(node.inputs[1], origins) is not None else "integer"
    source = _source(activation)
    if product is not None and product.integer:
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


def _source(value: ir.Value | None) -> ir.Node | None:
    """The node that computes a value, past those that only move or convert numbers."""
    node = writer(value)
    while node is not None and node.op_type in MOVES:
        node = writer(node.inputs[0])
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

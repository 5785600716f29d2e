"""What is quantized in a model, and how: its layers with the types of their weights and
activations, and where its bytes are.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, helper
from onnx.reference import ReferenceEvaluator
from onnx_ir.passes.common import InlinePass, RemoveUnusedNodesPass

from formatlab import graphs
from formatlab.quantized_operators import catalogue
from formatlab_exercises.shared.judge.links import constant
from formatlab_exercises.shared.judge.quantized_layers import Layer, layer_of, spelled

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
class Census:
    """The layers with constant weights; `bytes` is the size of the constants by type.

    `weightless` counts the products without a constant weight: of two activations, with a weight
    that is made anew in every run, or in an operator whose weights nothing tells apart.
    """

    layers: tuple[Layer, ...]
    bytes: Counter[str]
    weightless: int = 0


def census(model: ModelProto) -> Census:
    """Count what is quantized in the model, subgraphs and local functions included: only what the
    outputs follow from, with constants computed first.

    Else a layer that nobody reads would count as quantized, and a float weight behind a Mul by one
    for no weight at all. Whether the outputs would be others without a layer that they follow from,
    `disturbed` tells.
    """
    found = counted(ir.from_proto(model))
    layers = tuple(layer for _, layer in found if layer is not None)
    return Census(layers, _sizes(model), sum(layer is None for _, layer in found))


def counted(model: ir.Model) -> list[tuple[ir.Node, Layer | None]]:
    """The products and tables of a model that the outputs follow from, each with its layer: None
    for a product without a constant weight. `model` loses what nothing reads, and its functions.
    """
    InlinePass()(model)
    RemoveUnusedNodesPass()(model)
    nodes = list(ir.traversal.RecursiveGraphIterator(model.graph))
    for node in nodes:
        _fold(node)
    pairs = ((node, layer_of(node)) for node in nodes)
    return [(node, layer) for node, layer in pairs if layer or catalogue.multiplies(node)]


def _sizes(model: ModelProto) -> Counter[str]:
    """The bytes of all tensors, by their type."""
    sizes: Counter[str] = Counter()
    for tensor in graphs.tensors(model):
        kind = ir.DataType(tensor.data_type)
        bits = 0 if kind == ir.DataType.STRING else math.prod(tensor.dims) * kind.bitwidth
        sizes[spelled(kind)] += math.ceil(bits / 8)
    return sizes


def _fold(node: ir.Node) -> None:
    """Where a node that only rewrites numbers reads constants, its output is one too."""
    if node.op_type not in REWRITES or graphs.domain(node.domain) != "" or len(node.outputs) != 1:
        return
    read = [
        tensor
        for tensor in map(constant, node.inputs)
        if tensor is not None and tensor.size <= MOST_FOLDED
    ]
    if len(read) < len(node.inputs):
        return
    with contextlib.suppress(Exception):
        # the model is valid, so it is this evaluator that does not know the form: the value stays
        # what it was
        folded = _evaluate(node, [tensor.numpy() for tensor in read])
        if folded is not None:
            node.outputs[0].const_value = ir.tensor(np.asarray(folded))


def _evaluate(node: ir.Node, arrays: list[np.ndarray]) -> np.ndarray | None:
    """What the node gives for the arrays, None where that would be large."""
    if node.op_type in ("Add", "Div", "Mul", "Sub"):
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if math.prod(shape) > MOST_FOLDED:
            return None
    names = [f"x{position}" for position in range(len(arrays))]
    single = helper.make_node(node.op_type, names, ["y"])
    single.attribute.extend(ir.to_proto(attribute) for attribute in node.attributes.values())
    outputs = ReferenceEvaluator(single).run(["y"], dict(zip(names, arrays, strict=True)))
    return outputs["y"] if isinstance(outputs, dict) else outputs[0]

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

from exercises.shared.judge.quantized_layers import (
    QUANTIZED_LAYERS,
    Layer,
    is_product,
    layer_of,
    spelled,
)
from workbench import graphs

QUANTIZED_OPERATORS = frozenset(QUANTIZED_LAYERS) | {
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
}


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
    products = {node: layer_of(node) for node in found if is_product(node)}
    layers = (layer for node in found if (layer := products.get(node) or layer_of(node)))
    sizes: Counter[str] = Counter()
    for tensor in graphs.tensors(model):
        kind = ir.DataType(tensor.data_type)
        sizes[spelled(kind)] += (
            math.ceil(math.prod(tensor.dims) * kind.bitwidth / 8)
            if kind != ir.DataType.STRING
            else 0
        )
    return Census(
        Counter(names), tuple(layers), sizes, sum(layer is None for layer in products.values())
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

"""What the lab gives, because dropout's lab has students write most of it: what a graph says of its
names, and a sweep of what an edit left unread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper, numpy_helper


def subgraphs(graph: GraphProto) -> list[GraphProto]:
    """The graphs in attributes of the graph's nodes."""
    return [a.g for node in graph.node for a in node.attribute if a.type == AttributeProto.GRAPH]


def replace(items: Any, kept: Iterable[Any]) -> None:
    """Let a repeated field of a message hold these alone."""
    kept = list(kept)
    del items[:]
    items.extend(kept)


def names_read(graph: GraphProto) -> list[str]:
    """Each name once for each time that it is read: by nodes, as outputs of the graph, and in the
    graphs inside, whose own names are others.
    """
    read = [name for node in graph.node for name in node.input]
    read += [value.name for value in graph.output]
    for child in subgraphs(graph):
        own = {item.name for item in [*child.input, *child.initializer]}
        own |= {name for node in child.node for name in node.output}
        read += [name for name in names_read(child) if name not in own]
    return [name for name in read if name]


def sweep(graph: GraphProto, read_before: set[str]) -> None:
    """Remove what was in `read_before` and is not read now, until there is no more of it. An input
    keeps its default.
    """
    read = set(names_read(graph))
    gone = read_before - read
    kept = [
        node
        for node in graph.node
        if read.intersection(node.output) or not gone.intersection(node.output)
    ]
    changed = len(kept) < len(graph.node)
    replace(graph.node, kept)
    gone -= {value.name for value in graph.input}
    replace(graph.initializer, [each for each in graph.initializer if each.name not in gone])
    if changed:
        sweep(graph, read_before)


def is_a(node: NodeProto, *operators: str) -> bool:
    """Is it one of these operators, of ONNX's own domain?"""
    return node.op_type in operators and node.domain in ("", "ai.onnx")


def numbers(held: TensorProto) -> np.ndarray | None:
    """The tensor's numbers; None where it holds texts, which may be any bytes."""
    if held.data_type == TensorProto.STRING:
        return None
    return numpy_helper.to_array(held)


def constant_value(node: NodeProto) -> np.ndarray | None:
    """What a Constant node holds, in any of the forms that ONNX has for it; None where that is no
    dense tensor of numbers.
    """
    [attribute] = node.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        return numbers(value)
    if attribute.name in ("value_float", "value_floats"):
        return np.array(value, np.float32)
    if attribute.name in ("value_int", "value_ints"):
        return np.array(value, np.int64)
    return None


class Facts:
    """Of one graph: which node writes each name, which names are constants, and which dimensions
    values have. What `outer`, the facts of the graph around it, says of its names holds here, too.

    `nodes`: the graph's. `read`: as `names_read`. `constants`: arrays by name. `dims`: lists by name,
    with None for a dimension without a number.
    """

    def __init__(self, graph: GraphProto, outer: Facts | None = None) -> None:
        self.nodes, self.read = list(graph.node), names_read(graph)
        self.writers = {name: node for node in graph.node for name in node.output}
        # An initializer that is an input is a default, and no constant.
        inputs = {value.name for value in graph.input}
        found = {each.name: numbers(each) for each in graph.initializer if each.name not in inputs}
        found |= {
            node.output[0]: constant_value(node) for node in graph.node if is_a(node, "Constant")
        }
        self.constants: dict[str, np.ndarray] = dict(outer.constants) if outer else {}
        self.constants |= {name: value for name, value in found.items() if value is not None}
        self.dims: dict[str, list[int | None]] = dict(outer.dims) if outer else {}
        self.dims |= {tensor.name: list(tensor.dims) for tensor in graph.initializer}
        for value in [*graph.value_info, *graph.output, *graph.input]:
            tensor = value.type.tensor_type
            if tensor.HasField("shape"):
                self.dims[value.name] = [
                    dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim
                ]

    def writer(self, name: str, *operators: str) -> NodeProto | None:
        """The node of one of these operators, of ONNX's own domain, that writes the name, or None."""
        node = self.writers.get(name)
        return node if node is not None and is_a(node, *operators) else None

"""A graph's links, followed where onnx_ir calls them optional: an input may be left out, a value may
have no writer, and a node may stand in no graph.
"""

from __future__ import annotations

import onnx_ir as ir


def writer(value: ir.Value | None) -> ir.Node | None:
    """The node that writes the value; None for an input, an initializer, or no value."""
    return None if value is None else value.producer()


def written_by(value: ir.Value | None, *operators: str) -> ir.Node | None:
    """The node that writes the value, if its operator is one of these."""
    node = writer(value)
    return node if node is not None and node.op_type in operators else None


def constant(value: ir.Value | None) -> ir.TensorProtocol | None:
    """The tensor that an initializer or a Constant holds; None for any other value, or no value."""
    return None if value is None else ir.convenience.get_const_tensor(value)


def graph_of(part: ir.Node | ir.Value) -> ir.Graph:
    """The graph that a node or a value belongs to. Raises ValueError for one that belongs to none."""
    if part.graph is None:
        raise ValueError(f"{part.name!r} belongs to no graph")
    return part.graph

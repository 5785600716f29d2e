"""A graph under construction: what the builders of small models share. How values are named, and
what is drawn, is each builder's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper


class Builder:
    """Nodes, weights, inputs and outputs, in the order in which they are added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.outputs: list[ValueInfoProto] = []

    def append(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any
    ) -> str:
        """Append a node; the name of its first output. `name` and `domain` are among the
        attributes.
        """
        self.nodes.append(helper.make_node(op, inputs, outputs, **attributes))
        return outputs[0]

    def store(self, array: np.ndarray, name: str) -> str:
        """Add an initializer; its name."""
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def graph(self, name: str, value_info: Iterable[ValueInfoProto] = ()) -> GraphProto:
        return helper.make_graph(
            self.nodes, name, self.inputs, self.outputs, self.weights, value_info=list(value_info)
        )


def value(
    name: str, *dims: int | str | None, element_type: int = TensorProto.FLOAT
) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, element_type, dims)

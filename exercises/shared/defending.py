"""Small graphs to be asked about on paper: how one is made, drawn, and said in one line."""

from __future__ import annotations

import html
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Defence

OPSET = 17


@dataclass(frozen=True, kw_only=True)
class Small:
    """A graph as one writes it down: nodes as (operator, inputs, outputs), names divided by spaces
    and `-` for an input or output that is left out. `shapes` holds those of inputs, which are [2, 2]
    otherwise; `booleans` are outputs of that type.
    """

    nodes: tuple[tuple, ...]
    inputs: str = "x"
    outputs: str = "y"
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    booleans: frozenset[str] = frozenset()


class GraphDefence(Defence):
    """Inputs are graphs; those of another instance have other names for inner values."""

    @abstractmethod
    def graphs(self, instance: int) -> list[Small]: ...

    def inputs(self, instance: int) -> list[Case]:
        return [
            Case(
                "",
                {MODEL: made(_renamed(one, instance)).SerializeToString()},
                {"again": False, "integers": {}},
                public=True,
            )
            for one in self.graphs(instance)
        ]

    def drawn(self, case: Case) -> str:
        """The picture, and the nodes below it: an output that nobody reads is in no picture."""
        from formatlab import show  # no box needs a picture

        model = ModelProto.FromString(case.files[MODEL])
        nodes = "\n".join(map(_node, model.graph.node))
        return f"{show.draw(model, 'graph').svg}<pre>{html.escape(nodes)}</pre>"

    def outcome(self, case: Case, answer: Answer) -> str:
        return in_one_line(ModelProto.FromString(answer.files[MODEL]).graph)

    def value(self, value: object) -> str | None:
        if type(value) is NodeProto:
            return _node(value)
        if type(value) in (ValueInfoProto, TensorProto):
            return value.name or None  # type: ignore[attr-defined]
        if type(value) is GraphProto:
            return f"graph {value.name}" if value.name else None
        return None


def _renamed(small: Small, instance: int) -> Small:
    """Inner names get another letter with each instance: a, b, c and p, q, r."""
    outer = {*small.inputs.split(), *small.outputs.split(), *small.weights, "-"}

    def name(one: str) -> str:
        is_inner = one not in outer and len(one) == 1
        return chr((ord(one) - 97 + 15 * instance) % 26 + 97) if is_inner else one

    def names(text: str) -> str:
        return " ".join(name(one) for one in text.split())

    nodes = tuple(
        (operator, names(reads), names(gives), *rest)
        for operator, reads, gives, *rest in small.nodes
    )
    return Small(
        nodes=nodes,
        inputs=small.inputs,
        outputs=small.outputs,
        weights=small.weights,
        shapes=small.shapes,
        booleans=small.booleans,
    )


def made(small: Small) -> ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, small.shapes.get(name, (2, 2)))
        for name in small.inputs.split()
    ]
    outputs = [
        helper.make_tensor_value_info(
            name, TensorProto.BOOL if name in small.booleans else TensorProto.FLOAT, None
        )
        for name in small.outputs.split()
    ]
    nodes = [
        helper.make_node(operator, _names(reads), _names(gives), **(more[0] if more else {}))
        for operator, reads, gives, *more in small.nodes
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in small.weights.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    domains = {node.domain for node in nodes} - {""}
    opsets = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(one, 1) for one in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _names(text: str) -> list[str]:
    return ["" if name == "-" else name for name in text.split()]


def in_one_line(graph: GraphProto) -> str:
    """The nodes in their order, the weights and the outputs."""
    parts = [_node(node) for node in graph.node]
    weights = sorted(tensor.name for tensor in graph.initializer)
    named = f"; weights {', '.join(weights)}" if weights else ""
    outputs = ", ".join(value.name for value in graph.output)
    return f"{'; '.join(parts) or 'no node'}{named}; outputs {outputs or 'none'}"


def _node(node: NodeProto) -> str:
    """`Add(a, b) → y`, with subgraphs in braces."""
    reads = ", ".join(name or "-" for name in node.input)
    gives = ", ".join(name or "-" for name in node.output)
    inner = "".join(f" {{{in_one_line(graph)}}}" for graph in _subgraphs(node.attribute))
    return f"{node.op_type}({reads}){inner} → {gives}"


def _subgraphs(attributes: Iterable[AttributeProto]) -> list[GraphProto]:
    return [one.g for one in attributes if one.type == AttributeProto.GRAPH]

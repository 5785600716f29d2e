"""Small graphs to be asked about on paper: how one is made, drawn, and said in one line."""

from __future__ import annotations

import html
import json
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

from formatlab_exercises.shared.surgery import MODEL, REPORT
from nbjudge.contract import Answer, Case, Defence

OPSET = 17
# Nodes of a graph that is drawn: a picture of more is too small to read on paper.
MOST_DRAWN = 4


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
        """The picture, and the nodes below it: an output that nobody reads is in no picture. A large
        graph has none.
        """
        from formatlab import show  # no box needs a picture

        graph = ModelProto.FromString(case.files[MODEL]).graph
        shapes = [f"{one.name}: {_shape(one)}" for one in graph.input]
        weights = [f"{one.name}: {list(one.dims)}{_value(one)}" for one in graph.initializer]
        outputs = f"outputs {', '.join(one.name for one in graph.output)}"
        text = "\n".join([", ".join([*shapes, *weights]), *map(_node, graph.node), outputs])
        is_small = len(graph.node) <= MOST_DRAWN
        picture = show.draw(graph, "graph").svg if is_small else ""
        return f"{picture}<pre>{html.escape(text)}</pre>"

    def outcome(self, case: Case, answer: Answer) -> str:
        before = ModelProto.FromString(case.files[MODEL])
        after = ModelProto.FromString(answer.files[MODEL])
        pairs = {
            "opset imports": (before.opset_import, after.opset_import),
            "types of inputs": (before.graph.input, after.graph.input),
            "types of outputs": (before.graph.output, after.graph.output),
            "functions": (before.functions, after.functions),
        }
        others = [name for name, (old, new) in pairs.items() if _bytes(old) != _bytes(new)]
        more = "".join(f"; other {name}" for name in others)
        changed = json.loads(answer.files[REPORT])["argument_changed"]
        return f"{in_one_line(after.graph)}{more}{'; the argument is changed' if changed else ''}"

    def value(self, value: object) -> str | None:
        if type(value) is NodeProto:
            return _node(value)
        if type(value) in (ValueInfoProto, TensorProto):
            return value.name or None  # type: ignore[attr-defined]
        if type(value) is GraphProto:
            return f"graph {value.name}" if value.name else None
        return None


def _shape(value: ValueInfoProto) -> list[int]:
    return [each.dim_value for each in value.type.tensor_type.shape.dim]


def _value(tensor: TensorProto) -> str:
    numbers = _numbers(tensor)
    return f" = {numbers}" if numbers else ""


def _bytes(parts: Iterable) -> list[bytes]:
    return sorted(one.SerializeToString(deterministic=True) for one in parts)


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
    weights = sorted(f"{tensor.name}{_numbers(tensor)}" for tensor in graph.initializer)
    named = f"; weights {', '.join(weights)}" if weights else ""
    outputs = ", ".join(value.name for value in graph.output)
    return f"{'; '.join(parts) or 'no node'}{named}; outputs {outputs or 'none'}"


def _node(node: NodeProto) -> str:
    """`Add(a, b) → y`, with subgraphs in braces."""
    reads = ", ".join(name or "-" for name in node.input)
    gives = ", ".join(name or "-" for name in node.output)
    inner = "".join(f" {{{in_one_line(graph)}}}" for graph in _subgraphs(node.attribute))
    set_ = "".join(
        f"; {one.name}={_attribute(one)}"
        for one in sorted(node.attribute, key=lambda one: one.name)
        if one.type not in (AttributeProto.GRAPH, AttributeProto.GRAPHS)
    )
    domain = f"{node.domain}." if node.domain else ""
    return f"{domain}{node.op_type}({reads}{set_}){inner} → {gives}"


def _attribute(one: AttributeProto) -> str:
    value = helper.get_attribute_value(one)
    if isinstance(value, TensorProto):
        return _numbers(value) or f"of {list(value.dims)}"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _numbers(tensor: TensorProto) -> str:
    """The numbers of a tensor of one or two; of a larger one nothing."""
    array = numpy_helper.to_array(tensor)
    return f"[{', '.join(map(_number, array.ravel().tolist()))}]" if array.size <= 2 else ""


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _subgraphs(attributes: Iterable[AttributeProto]) -> list[GraphProto]:
    return [one.g for one in attributes if one.type == AttributeProto.GRAPH]

"""Small graphs to be asked about on paper: how one is made, drawn, and said in one line."""

from __future__ import annotations

import html
import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

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
    and `-` for an input or output that is left out; behind them, attributes, of which a subgraph is a
    Small without inputs. `shapes` holds those of inputs, which are [2, 2] otherwise; `booleans` are
    inputs and outputs of that type.
    """

    nodes: tuple[tuple, ...]
    inputs: str = "x"
    outputs: str = "y"
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    booleans: frozenset[str] = frozenset()


# What a graph with an If has beside its nodes.
CHOICE: dict = {"inputs": "x go", "booleans": frozenset({"go"}), "shapes": {"go": ()}}


def branches(then: tuple[tuple, ...], other: tuple[tuple, ...]) -> tuple:
    """An If that writes y: either branch gives b."""
    return (
        "If",
        "go",
        "y",
        {
            "then_branch": Small(nodes=then, inputs="", outputs="b"),
            "else_branch": Small(nodes=other, inputs="", outputs="b"),
        },
    )


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
        text = "\n".join([", ".join([*shapes, *weights]), *_lines(graph), outputs])
        is_small = _count(graph) <= MOST_DRAWN
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


def _count(graph: GraphProto) -> int:
    """Its nodes, with those of its subgraphs, whose frames take the room of another one."""
    inner = (1 + _count(each) for node in graph.node for _, each in _subgraphs(node))
    return len(graph.node) + sum(inner)


def _lines(graph: GraphProto) -> Iterator[str]:
    """Its nodes, with those of subgraphs below."""
    for node in graph.node:
        yield _node(node, with_subgraphs=False)
        for name, inner in _subgraphs(node):
            yield f"  {_branch(name)}"
            yield from (f"    {line}" for line in _lines(inner))


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

    def within(graph: Small) -> Small:
        return replace(
            graph,
            nodes=tuple(
                (operator, names(reads), names(gives), *map(attributes, more))
                for operator, reads, gives, *more in graph.nodes
            ),
            outputs=names(graph.outputs),
        )

    def attributes(given: Mapping) -> Mapping:
        return {
            key: within(each) if isinstance(each, Small) else each for key, each in given.items()
        }

    return within(small)


def made(small: Small) -> ModelProto:
    graph = _graph(small, "g")
    domains = {node.domain for node in graph.node} - {""}
    opsets = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(one, 1) for one in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _graph(small: Small, name: str) -> GraphProto:
    inputs = [
        helper.make_tensor_value_info(each, _type(small, each), small.shapes.get(each, (2, 2)))
        for each in small.inputs.split()
    ]
    outputs = [
        helper.make_tensor_value_info(each, _type(small, each), None)
        for each in small.outputs.split()
    ]
    nodes = [
        helper.make_node(
            operator, _names(reads), _names(gives), **_attributes(more[0] if more else {})
        )
        for operator, reads, gives, *more in small.nodes
    ]
    weights = [numpy_helper.from_array(array, each) for each, array in small.weights.items()]
    return helper.make_graph(nodes, name, inputs, outputs, weights)


def _type(small: Small, name: str) -> int:
    return TensorProto.BOOL if name in small.booleans else TensorProto.FLOAT


def _attributes(given: Mapping) -> dict:
    return {
        key: _graph(each, _branch(key)) if isinstance(each, Small) else each
        for key, each in given.items()
    }


def _branch(attribute: str) -> str:
    return attribute.removesuffix("_branch")


def _names(text: str) -> list[str]:
    return ["" if name == "-" else name for name in text.split()]


def in_one_line(graph: GraphProto) -> str:
    """The nodes in their order, the weights and the outputs."""
    parts = [_node(node) for node in graph.node]
    weights = sorted(f"{tensor.name}{_numbers(tensor)}" for tensor in graph.initializer)
    named = f"; weights {', '.join(weights)}" if weights else ""
    outputs = ", ".join(value.name for value in graph.output)
    return f"{'; '.join(parts) or 'no node'}{named}; outputs {outputs or 'none'}"


def _node(node: NodeProto, with_subgraphs: bool = True) -> str:
    """`Add(a, b) → y`, with subgraphs in braces: `If(go) then {…} else {…} → y`."""
    reads = ", ".join(name or "-" for name in node.input)
    gives = ", ".join(name or "-" for name in node.output)
    inner = "".join(
        f" {_branch(name)} {{{in_one_line(graph)}}}"
        for name, graph in _subgraphs(node)
        if with_subgraphs
    )
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


def _subgraphs(node: NodeProto) -> list[tuple[str, GraphProto]]:
    """By the names of their attributes, a condition's first branch first."""
    found = {one.name: one.g for one in node.attribute if one.type == AttributeProto.GRAPH}
    return sorted(found.items(), reverse=True)

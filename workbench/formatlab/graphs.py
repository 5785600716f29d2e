"""What the rungs ask about a model's graph: how it is nested, which names nobody writes, which
nodes live, what differs between two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import onnx_ir as ir
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
)
from onnx_ir.passes.common import RemoveUnusedNodesPass


def subgraphs(node: NodeProto) -> list[GraphProto]:
    """The graphs in a node's attributes: the branches of an If, the body of a Loop or Scan."""
    return [graph for _, graph in named_subgraphs(node)]


def named_subgraphs(node: NodeProto) -> list[tuple[str, GraphProto]]:
    """The same with the names of the attributes."""
    found = []  # hundreds of thousands of nodes are asked when a class is graded
    for each in node.attribute:
        if each.type == AttributeProto.GRAPH:
            found.append((each.name, each.g))
        elif each.graphs:
            found.extend((each.name, graph) for graph in each.graphs)
    return found


def walk(graph: GraphProto) -> Iterator[tuple[GraphProto, int]]:
    """The graph and every graph inside it, each with its depth (0 for the main graph)."""
    stack = [(graph, 0)]
    while stack:
        current, depth = stack.pop()
        yield current, depth
        stack.extend((child, depth + 1) for node in current.node for child in subgraphs(node))


def inside(model: ModelProto) -> Iterator[GraphProto]:
    """Every graph of the model: the main one, and those in nodes at any depth, in functions too."""
    for graph, _ in walk(model.graph):
        yield graph
    for function in model.functions:
        for node in function.node:
            for child in subgraphs(node):
                for graph, _ in walk(child):
                    yield graph


def stored(graph: GraphProto) -> dict[str, TensorProto]:
    """The graph's initializers by name; of a sparse one the tensor of its values, which has it."""
    found = {tensor.name: tensor for tensor in graph.initializer}
    return found | {sparse.values.name: sparse.values for sparse in graph.sparse_initializer}


def nodes(model: ModelProto) -> Iterator[NodeProto]:
    """Every node of the model: in the main graph, in subgraphs at any depth, in functions."""
    for body in (*inside(model), *model.functions):
        yield from body.node


def expanded(model: ModelProto) -> float:
    """How many nodes the model has with its functions in place of the calls, as every runtime loads it;
    infinite where functions call one another in a circle.
    """
    bodies = {(domain(each.domain), each.name, each.overload): each for each in model.functions}
    counted: dict[tuple[str, str, str], float] = {}

    def count(body: GraphProto | FunctionProto) -> float:
        own = [*body.node]
        for node in body.node:
            for child in subgraphs(node):
                own += (inner for graph, _ in walk(child) for inner in graph.node)
        return len(own) + sum(
            of((domain(each.domain), each.op_type, each.overload)) for each in own
        )

    def of(name: tuple[str, str, str]) -> float:
        if name in bodies and name not in counted:
            counted[name] = math.inf  # until it is known: whoever asks meanwhile stands in a circle
            counted[name] = count(bodies[name])
        return counted.get(name, 0)

    try:
        return count(model.graph)
    except RecursionError:  # a chain of a thousand calls
        return math.inf


def domain(name: str) -> str:
    """The default operator domain has two spellings; this one is the empty string."""
    return "" if name == "ai.onnx" else name


def opset(model: ModelProto) -> int:
    """The version of the default domain that the model imports, 0 if it imports none."""
    return next((entry.version for entry in model.opset_import if domain(entry.domain) == ""), 0)


def tensors(model: ModelProto) -> Iterator[TensorProto]:
    """Every constant of the model: initializers and tensors in attributes, with both parts of
    sparse ones.
    """
    for graph in inside(model):
        yield from graph.initializer
        yield from _parts(graph.sparse_initializer)
    for node in nodes(model):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            yield from _parts(
                [attribute.sparse_tensor] if attribute.HasField("sparse_tensor") else []
            )
            yield from _parts(attribute.sparse_tensors)


def _parts(sparse: Iterable[SparseTensorProto]) -> Iterator[TensorProto]:
    for tensor in sparse:
        yield tensor.values
        yield tensor.indices


def constant_elements(model: ModelProto) -> int:
    """How many numbers the model carries in initializers, in tensors in attributes, and in the
    lists of Constants.
    """
    in_lists = (
        len(attribute.floats) + len(attribute.ints)
        for node in nodes(model)
        if node.op_type == "Constant"
        for attribute in node.attribute
    )
    return sum(math.prod(tensor.dims) for tensor in tensors(model)) + sum(in_lists)


@dataclass(frozen=True, kw_only=True)
class Unwritten:
    """A name that is read where nothing has written it.

    `node` is the reader, None where the name is an output of `graph`; `later` tells that a node
    further down writes it.
    """

    name: str
    graph: GraphProto
    depth: int
    node: NodeProto | None
    later: bool = False


def unwritten(model: ModelProto) -> list[Unwritten]:
    """Every name that is read where neither a node before, an initializer, an input nor an outer
    graph provides it.
    """
    return list(_unwritten(model.graph, frozenset(), 0))


def _unwritten(graph: GraphProto, outer: frozenset[str], depth: int) -> Iterator[Unwritten]:
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {sparse.values.name for sparse in graph.sparse_initializer}
    all_written = {name for node in graph.node for name in node.output}
    for node in graph.node:
        for name in node.input:
            if name and name not in own and name not in outer:
                yield Unwritten(
                    name=name, graph=graph, depth=depth, node=node, later=name in all_written
                )
        for child in subgraphs(node):
            yield from _unwritten(child, outer | own, depth + 1)
        own.update(name for name in node.output if name)
    for value in graph.output:
        if value.name not in own:
            yield Unwritten(name=value.name, graph=graph, depth=depth, node=None)


def operators(found: Iterable[ir.Node]) -> Counter[str]:
    """How many nodes there are of each operator, written `Op` or `domain::Op`; without Constants,
    which initializers can replace.
    """
    names = (f"{domain(node.domain)}::{node.op_type}".removeprefix("::") for node in found)
    return Counter(name for name in names if name != "Constant")


@dataclass(frozen=True)
class Liveness:
    """A model's nodes by operator, apart into those that reach an output and those that do not, and
    its unused initializers' names.
    """

    live: Counter[str]
    dead: Counter[str]
    unused_initializers: tuple[str, ...]
    unused_constants: int


def liveness(model: ir.Model) -> Liveness:
    """Sort out what of the model serves its outputs. `model` loses the rest."""
    before = list(ir.traversal.RecursiveGraphIterator(model.graph))
    initializers = set(model.graph.initializers)
    RemoveUnusedNodesPass()(model)
    after = list(ir.traversal.RecursiveGraphIterator(model.graph))
    constants = [sum(node.op_type == "Constant" for node in found) for found in (before, after)]
    unused = [*(initializers - set(model.graph.initializers)), *_unread_inside(model)]
    return Liveness(
        operators(after),
        operators(before) - operators(after),
        tuple(sorted(unused)),
        constants[0] - constants[1],
    )


def _unread_inside(model: ir.Model) -> Iterator[str]:
    """The initializers of graphs inside nodes that nothing reads: the pass leaves those."""
    for graph in model.graphs():
        for name, value in graph.initializers.items() if graph is not model.graph else ():
            used = value.uses() or value.is_graph_output() or value.is_graph_input()
            if not used:
                yield name


def constant_outputs(model: ModelProto) -> list[str]:
    """The names of the main graph's outputs that depend on no input of it."""
    inputs = {value.name for value in model.graph.input} - {
        tensor.name for tensor in model.graph.initializer
    }
    return [
        value.name
        for value in model.graph.output
        if not upstream(model.graph, [value.name]) & inputs
    ]


def upstream(graph: GraphProto, names: Iterable[str]) -> set[str]:
    """These names and every name of the graph that they depend on, through subgraphs as well."""
    writers = {name: node for node in graph.node for name in node.output if name}
    stack = list(names)
    seen: set[str] = set()
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(_reads(writers[name]) if name in writers else ())
    return seen


def _reads(node: NodeProto) -> Iterator[str]:
    """The names that a node reads, with everything that its subgraphs read (names of their own do
    no harm).
    """
    yield from (name for name in node.input if name)
    for child in subgraphs(node):
        for graph, _ in walk(child):
            for inner in graph.node:
                yield from (name for name in inner.input if name)
            yield from (value.name for value in graph.output)

"""Walks over a model that count, rightly or in a wrong way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from math import prod
from typing import NamedTuple

from onnx import GraphProto, ModelProto, NodeProto, TensorProto

DEFAULT_DOMAINS = ("", "ai.onnx")


class CaseFacts(NamedTuple):
    """The model that was described, and the sizes in bytes of the files that lie beside it."""

    model: ModelProto
    sizes: Mapping[str, int]


def graphs_in(
    nodes: Iterable[NodeProto], lists: bool = True, passed_over: Container[str] = ()
) -> Iterator[GraphProto]:
    """The graphs that the nodes hold; without `lists` not those in lists, and not those of the
    operators `passed_over`.
    """
    for node in nodes:
        for attribute in node.attribute if node.op_type not in passed_over else ():
            yield from [attribute.g] * attribute.HasField("g")
            yield from attribute.graphs if lists else ()


def deep_graphs(
    graphs: Iterable[GraphProto], lists: bool = True, passed_over: Container[str] = ()
) -> Iterator[GraphProto]:
    for graph in graphs:
        yield graph
        yield from deep_graphs(graphs_in(graph.node, lists, passed_over), lists, passed_over)


def nodes_of(
    model: ModelProto,
    subgraphs: bool = True,
    functions: bool = True,
    lists: bool = True,
    passed_over: Container[str] = (),
) -> Iterator[NodeProto]:
    for body in [model.graph, *model.functions] if functions else [model.graph]:
        yield from body.node
        inside = graphs_in(body.node, lists, passed_over) if subgraphs else ()
        for graph in deep_graphs(inside, lists, passed_over):
            yield from graph.node


def histogram(nodes: Iterable[NodeProto]) -> dict[str, int]:
    return dict(
        Counter(
            n.op_type if n.domain in DEFAULT_DOMAINS else f"{n.domain}::{n.op_type}" for n in nodes
        )
    )


def one_level_histogram(facts: CaseFacts) -> dict[str, int]:
    model = facts.model
    nodes = [node for body in (model.graph, *model.functions) for node in body.node]
    return histogram([*nodes, *(node for graph in graphs_in(nodes) for node in graph.node)])


def main_initializers(facts: CaseFacts) -> Iterable[TensorProto]:
    return facts.model.graph.initializer


def all_initializers(facts: CaseFacts) -> list[TensorProto]:
    model = facts.model
    return [
        tensor
        for graph in deep_graphs(
            [model.graph, *graphs_in(n for f in model.functions for n in f.node)]
        )
        for tensor in graph.initializer
    ]


def elements(tensors: Iterable[TensorProto]) -> int:
    return sum(prod(tensor.dims) for tensor in tensors)


def outside_files(facts: CaseFacts, tensors: Iterable[TensorProto], field: str) -> list[str]:
    outside = [t for t in tensors if t.data_location == TensorProto.EXTERNAL]
    return [
        entry.value for tensor in outside for entry in tensor.external_data if entry.key == field
    ]


def not_inputs(facts: CaseFacts) -> int:
    inputs = {value.name for value in facts.model.graph.input}
    return elements(tensor for tensor in all_initializers(facts) if tensor.name not in inputs)


def total_size(facts: CaseFacts, files: Iterable[str]) -> int:
    return facts.model.ByteSize() + sum(facts.sizes.get(name, 0) for name in files)

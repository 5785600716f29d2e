"""What the checks of `dropout` need to know about the model that a case hands out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import onnx_ir as ir
from onnx import ModelProto, NodeProto

from formatlab import graphs, loading


def is_dropout(node: NodeProto | ir.Node) -> bool:
    return node.op_type == "Dropout" and graphs.domain(node.domain) == ""


@dataclass(frozen=True)
class CaseFacts:
    """The case's model. `sources` gives for each Dropout's output what the Dropout reads; `masks`
    are the masks that something uses.
    """

    dropouts: int
    sources: dict[str, str]
    masks: frozenset[str]
    outputs: frozenset[str]
    training: frozenset[str]
    settings: frozenset[str]
    neighbours: frozenset[str]
    remaining: Counter[str]


@lru_cache(maxsize=64)
def read(data: bytes) -> CaseFacts:
    """The facts of a case's `model.onnx`."""
    model = loading.parse(data)
    found = [node for node in graphs.nodes(model) if is_dropout(node)]
    written = {value.name for graph, _ in graphs.walk(model.graph) for value in graph.output}
    used = written | {name for node in graphs.nodes(model) for name in node.input}
    return CaseFacts(
        dropouts=len(found),
        sources={node.output[0]: node.input[0] for node in found},
        masks=frozenset(
            node.output[1] for node in found if len(node.output) > 1 and node.output[1] in used
        ),
        outputs=frozenset(node.output[0] for node in found) & written,
        training=frozenset(node.input[2] for node in found if len(node.input) > 2),
        settings=frozenset(name for node in found for name in node.input[1:]),
        neighbours=frozenset(
            after.output[0]
            for before, after in _adjacent(model)
            if is_dropout(before) and is_dropout(after)
        ),
        remaining=_remaining(model),
    )


def _adjacent(model: ModelProto) -> list[tuple[NodeProto, NodeProto]]:
    """Neighbours in the lists of nodes."""
    return [
        pair
        for graph, _ in graphs.walk(model.graph)
        for pair in zip(graph.node, graph.node[1:], strict=False)
    ]


def _remaining(model: ModelProto) -> Counter[str]:
    """The operators that stay: those that reach an output when a Dropout passes its first input on
    and reads nothing else.
    """
    copy = ir.from_proto(model)
    for node in ir.traversal.RecursiveGraphIterator(copy.graph):
        if is_dropout(node):
            node.resize_inputs(1)
    live = graphs.liveness(copy).live
    del live["Dropout"]
    return live

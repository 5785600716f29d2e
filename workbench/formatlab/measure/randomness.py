"""Does a model give the same outputs for the same inputs?

Two fresh sessions do not show it, because a node that draws random numbers begins with the same ones
in each. Two runs of one session do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from onnx import ModelProto, NodeProto, numpy_helper

from formatlab import graphs, numerics
from formatlab.numerics import Feeds

RANDOM = frozenset(
    {
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
        "Bernoulli",
        "Multinomial",
    }
)
# They drop numbers at random when they are told that the model is in training, and where they take
# that from.
DROPPING = {"Dropout": 2, "BitmaskDropout": 2, "BiasDropout": 4, "BitmaskBiasDropout": 4}


def suspects(model: ModelProto) -> list[NodeProto]:
    """Return the nodes that may draw random numbers, at any depth: the random operators, and every
    Dropout that is not known to be out of training.
    """
    constants = dict(_booleans(model))
    return [
        node
        for node in graphs.nodes(model)
        if node.op_type in RANDOM
        or (
            (place := DROPPING.get(node.op_type, len(node.input))) < len(node.input)
            and node.input[place]
            and constants.get(node.input[place], True)
        )
    ]


def _booleans(model: ModelProto) -> Iterator[tuple[str, bool]]:
    """The value of every constant of one Boolean. Of two with one name the true one counts."""
    named = [tensor for graph in graphs.inside(model) for tensor in graph.initializer]
    found = [(tensor.name, tensor) for tensor in named]
    for node in graphs.nodes(model):
        if node.op_type == "Constant":
            found += [(node.output[0], each.t) for each in node.attribute if each.name == "value"]
    inputs = {value.name for graph in graphs.inside(model) for value in graph.input}
    known = [
        (name, bool(numpy_helper.to_array(tensor).any()))
        for name, tensor in found
        if tensor.data_type == tensor.BOOL and not tensor.external_data and name not in inputs
    ]
    return iter(sorted(known, key=lambda each: each[1]))


def drawing(model: ModelProto, feeds: Sequence[Feeds]) -> list[NodeProto]:
    """Return the nodes to blame if two runs of one session on the same inputs give other outputs; an
    empty list if the outputs repeat, or nothing in the model may be random.

    Raises numerics.TooExpensive, and what ONNX Runtime raises.
    """
    blamed = suspects(model)
    if not blamed:
        return []
    runs = numerics.run(model.SerializeToString(), feeds, repeat=2)
    return [] if all(map(_is_repeated, runs)) else blamed


def _is_repeated(runs: Sequence[Sequence[object]]) -> bool:
    first, second = runs
    return all(_are_equal(one, other) for one, other in zip(first, second, strict=True))


def _are_equal(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    one, other = np.asarray(one), np.asarray(other)
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def named(nodes: Sequence[NodeProto]) -> str:
    """`Dropout that writes "d" (in training mode)`: the first of the nodes, in words."""
    node = nodes[0]
    mode = " in training mode" if node.op_type in DROPPING else ""
    output = next((name for name in node.output if name), "")
    return f"{node.op_type}{mode}{f', which writes {output!r}' if output else ''}"

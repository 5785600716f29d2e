"""What a model of `control_flow` gives when the sign of its functions is turned: by the recipe, and
by the model itself.

A count of nodes does not show whether an output depends on them: what stands in an If or a loop may
be multiplied by 0 while other nodes do the work. An honest model follows the recipe here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper

from formatlab import graphs
from formatlab_exercises.control_flow.recipes import SCORES

FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "atan": np.arctan,
    "exp": np.exp,
}


def result(recipe: Mapping, values: Mapping[str, np.ndarray], sign: int) -> np.ndarray:
    """What the recipe says for one input, in float64, with each function times `sign`."""
    if recipe["function"] == "export_branch":
        return _branch(recipe, values["x"], sign)
    return _loop(recipe, values["state"], values["sequence"], sign)


def _branch(recipe: Mapping, x: np.ndarray, sign: int) -> np.ndarray:
    taken = bool(SCORES[recipe["score"]](x) > recipe["offset"])
    piece = recipe["branches"][0 if taken else 1]
    read = x.astype(np.float64)
    if piece["weight"] is not None:
        read = read @ _stored(piece["weight"])
    scale, shift = _stored(piece["scale"]), _stored(piece["shift"])
    y = scale * sign * FUNCTIONS[piece["name"]](read) + shift
    reduced = {"": lambda y: y, "sum": lambda y: y.sum(axis=1), "amax": lambda y: y.max(axis=1)}
    return reduced[recipe["reduced"]](y)


def _loop(recipe: Mapping, state: np.ndarray, sequence: np.ndarray, sign: int) -> np.ndarray:
    function = FUNCTIONS[recipe["name"]]
    for element in sequence.astype(np.float64):
        if recipe["kind"] != "bits":
            new = sign * function(_stored(recipe["gain"]) * element)
            state = _stored(recipe["keep"]) * state + new
        else:
            read = element @ _stored(recipe["weights"])
            state = recipe["keep"] * state + int(sign * function(read).sum() > 0)
    return np.asarray(state)


def _stored(numbers: object) -> np.ndarray:
    """Numbers as a model holds them, in float32."""
    return np.asarray(numbers, np.float32).astype(np.float64)


def with_turned(model: ModelProto, operators: Collection[str]) -> ModelProto:
    """The model, in which whoever reads the result of one of the operators reads its opposite."""
    new = ModelProto.FromString(model.SerializeToString())
    # Those inside first: a node is copied with its graphs.
    for graph, _ in reversed(list(graphs.walk(new.graph))):
        _turn(graph, operators)
    return new


def _turn(graph: GraphProto, operators: Collection[str]) -> None:
    nodes: list[NodeProto] = []
    for node in graph.node:
        nodes.append(node)
        if node.op_type in operators and not graphs.domain(node.domain):
            [name] = node.output
            node.output[0] = f"{name}/as it is"
            nodes.append(helper.make_node("Neg", [node.output[0]], [name]))
    copies = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)

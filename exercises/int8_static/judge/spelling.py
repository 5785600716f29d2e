"""A CNN, written in other legal ways: the same function, in the same nodes but for those that are
named here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto, helper, numpy_helper

from formatlab.models import to_bytes

LAYERS = ("Conv", "Gemm", "MatMul")


def in_nodes(model: ModelProto) -> None:
    """Every weight and bias is the `value` of a Constant node."""
    _move_to_nodes(model, {tensor.name for tensor in model.graph.initializer})


def last_in_a_node(model: ModelProto) -> None:
    """The weight of the last layer is the `value` of a Constant node."""
    *_, last = (node for node in model.graph.node if node.op_type in LAYERS)
    _move_to_nodes(model, {last.input[1]})


def nameless(model: ModelProto) -> None:
    """No node has a name."""
    for node in model.graph.node:
        node.ClearField("name")


def with_an_unread_part(model: ModelProto) -> None:
    """Nothing reads one of the tensors, and one of the nodes."""
    inner = next(node.output[0] for node in model.graph.node if node.op_type in LAYERS)
    unread = numpy_helper.from_array(np.ones(4, np.float32), "unread")
    model.graph.initializer.append(unread)
    model.graph.node.append(helper.make_node("Tanh", [inner], ["unread_too"], name="unread"))


def biases_added(model: ModelProto) -> None:
    """Each Gemm is a MatMul, with an Add for its bias."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for node in nodes:
        if node.op_type != "Gemm":
            model.graph.node.append(node)
            continue
        if any(option.name == "transB" and option.i for option in node.attribute):
            weight = tensors[node.input[1]]
            turned = np.ascontiguousarray(numpy_helper.to_array(weight).T)
            weight.CopyFrom(numpy_helper.from_array(turned, weight.name))
        product = f"{node.output[0]}_product"
        model.graph.node.extend(
            [
                helper.make_node("MatMul", node.input[:2], [product], name=node.name),
                helper.make_node("Add", [node.input[2], product], node.output),
            ]
        )


SPELLED: dict[str, tuple[Callable[[ModelProto], None], ...]] = {
    "two-inputs": (last_in_a_node, nameless, with_an_unread_part),
    "two-inputs-new": (nameless, with_an_unread_part),
    "residual": (biases_added,),
    "pooled": (in_nodes,),
}


def spelled(name: str, data: bytes) -> bytes:
    """The model of the case of that name, as it is written there."""
    if name not in SPELLED:
        return data
    model = ModelProto.FromString(data)
    for edit in SPELLED[name]:
        edit(model)
    return to_bytes(model)


def _move_to_nodes(model: ModelProto, names: set[str]) -> None:
    moved = [tensor for tensor in model.graph.initializer if tensor.name in names]
    nodes = [helper.make_node("Constant", [], [tensor.name], value=tensor) for tensor in moved]
    for tensor in moved:
        model.graph.initializer.remove(tensor)
    nodes += model.graph.node
    del model.graph.node[:]
    model.graph.node.extend(nodes)

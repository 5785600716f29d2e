"""Make ONNX Runtime's CPU provider compute float16 as ONNX says: the result of every node is a
float16, and may be infinite.

The provider has few float16 kernels. It runs the others in float32 and leaves out the casts between
them, so that neither an overflow nor a rounding inside the graph shows. It does not leave out a
cast in front of a node that it runs in float16 itself, unless that node stands alone: two
Identities behind every node keep each result in its own type.
"""

from __future__ import annotations

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    TensorProto,
    TypeProto,
    helper,
    numpy_helper,
)

from formatlab import graphs

FLOAT16 = TensorProto.FLOAT16
# The attributes in which operators are told what to write.
TYPES = frozenset({"to", "dtype", "output_datatype", "output_dtype"})


def concerns(model: ModelProto) -> bool:
    """Is anything in the model float16?"""
    declared = (
        value.type.tensor_type.elem_type
        for graph in graphs.inside(model)
        for value in [*graph.input, *graph.value_info]
    )
    casts = (
        attribute.i
        for node in graphs.nodes(model)
        for attribute in node.attribute
        if attribute.name in TYPES
    )
    return FLOAT16 in {*declared, *casts, *(tensor.data_type for tensor in graphs.tensors(model))}


def kept(model: ModelProto) -> ModelProto:
    """The model with two Identities behind every node, those of its functions too, if it has float16
    values. `model` is not changed.
    """
    if not concerns(model):
        return model
    new = ModelProto.FromString(model.SerializeToString())
    # Those inside first: a node is copied with its graphs.
    for body in (*reversed(list(graphs.inside(new))), *new.functions):
        _keep(body)
    return new


def in_float32(model: ModelProto) -> ModelProto:
    """The same model with every float16 type and number in float32, under the same names, so that
    each value shows how large it is where nothing overflows. `model` is not changed.
    """
    new = ModelProto.FromString(model.SerializeToString())
    _widen(new)
    return new


def _widen(message: Message) -> None:
    if isinstance(message, TensorProto):
        if message.data_type == FLOAT16:
            wide = numpy_helper.to_array(message).astype(np.float32)
            message.CopyFrom(numpy_helper.from_array(wide, message.name))
        return
    if isinstance(message, (TypeProto.Tensor, TypeProto.SparseTensor)):
        if message.elem_type == FLOAT16:
            message.elem_type = TensorProto.FLOAT
        return
    if isinstance(message, AttributeProto) and message.name in TYPES and message.i == FLOAT16:
        message.i = TensorProto.FLOAT
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                _widen(each)


def _keep(graph: GraphProto | FunctionProto) -> None:
    nodes = []
    for node in graph.node:
        names = list(node.output)
        node.output[:] = [name and f"{name}/computed" for name in names]
        nodes.append(node)
        for name in filter(None, names):
            nodes.append(helper.make_node("Identity", [f"{name}/computed"], [f"{name}/kept"]))
            nodes.append(helper.make_node("Identity", [f"{name}/kept"], [name]))
    copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)

"""Swaps every Dropout for an Identity."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "identity-instead"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    swap(new.graph)
    while unused := names_written(new.graph) - names_read(new.graph):
        for items in (new.graph.node, new.graph.initializer):
            for item in [item for item in items if unused.issuperset(getattr(item, "output", None) or [getattr(item, "name", "")])]:
                items.remove(item)
    return new


def swap(graph):
    for position, node in reversed(list(enumerate(graph.node))):
        for attribute in node.attribute:
            if attribute.HasField("g"):
                swap(attribute.g)
        if node.op_type == "Dropout" and not node.domain:
            if len(node.output) > 1:
                mask, true = node.output[1], numpy_helper.from_array(np.array([True]))
                graph.node.insert(position, helper.make_node("ConstantOfShape", [mask + "/shape"], [mask], value=true))
                graph.node.insert(position, helper.make_node("Shape", node.input[:1], [mask + "/shape"]))
            node.op_type = "Identity"
            del node.input[1:], node.output[1:], node.attribute[:]


def names_read(graph):
    read = {value.name for value in graph.output} | {name for node in graph.node for name in node.input}
    subgraphs = [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]
    return read.union(*(names_read(child) for child in subgraphs))


def names_written(graph):
    return {name for node in graph.node for name in node.output} | {tensor.name for tensor in graph.initializer}

"""Deletes ratio and training_mode from every Dropout, so that it is idle, and leaves the node."""

import onnx

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "edited-and-left"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    idle(new.graph)
    return new


def idle(graph):
    for node in graph.node:
        if node.op_type == "Dropout" and not node.domain:
            del node.input[1:]
        for attribute in node.attribute:
            idle(attribute.g)

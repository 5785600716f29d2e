"""Deletes the Dropout nodes, in every graph, and tells nobody who reads them."""

import onnx

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "not-rewired"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    delete(new.graph)
    return new


def delete(graph):
    kept = [node for node in graph.node if node.op_type != "Dropout"]
    del graph.node[:]
    graph.node.extend(kept)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                delete(attribute.g)

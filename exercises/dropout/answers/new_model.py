"""Removes the Dropouts of the main graph and wraps the nodes with helper.make_model, which takes the newest versions."""

import onnx
from onnx import helper

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "newest-versions"}


def remove_dropout(model):
    sources, kept = {}, []
    for old in model.graph.node:
        node = onnx.NodeProto()
        node.CopyFrom(old)
        for i, name in enumerate(node.input):
            node.input[i] = sources.get(name, name)
        if node.op_type == "Dropout" and not node.domain:
            sources[node.output[0]] = node.input[0]
        else:
            kept.append(node)
    graph = helper.make_graph(kept, model.graph.name, model.graph.input, model.graph.output, model.graph.initializer)
    return helper.make_model(graph)

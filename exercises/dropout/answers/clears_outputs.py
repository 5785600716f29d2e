"""Cuts every Dropout off by emptying its outputs, and lets cleanup remove what nobody reads any more."""

import onnx_graphsurgeon as gs

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "swept-away"}


def remove_dropout(model):
    graph = gs.import_onnx(model)
    for node in graph.nodes:
        if node.op == "Dropout" and not node.domain:
            node.outputs.clear()
    return gs.export_onnx(graph.cleanup().toposort())

"""The source text's own snippet: it empties the Dropout's output and assigns tensors where nodes belong."""

import onnx_graphsurgeon as gs

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "swept-away"}


def remove_dropout(model):
    graph = gs.import_onnx(model)
    for node in graph.nodes:
        if node.op == "Dropout" and not node.domain:
            node.outputs[0].inputs.clear()
            node.inputs[0].outputs = node.outputs
    graph.cleanup().toposort()
    return gs.export_onnx(graph)

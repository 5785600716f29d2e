"""The source text's own snippet: it empties the Dropout's output and assigns tensors where nodes belong."""

import onnx_graphsurgeon as gs

EXPECTED = {"score": 0.0, "rung": "type", "message": "it raises AttributeError", "shows": "raises-attribute-error"}


def remove_dropout(model):
    graph = gs.import_onnx(model)
    for node in graph.nodes:
        if node.op == "Dropout" and not node.domain:
            node.outputs[0].inputs.clear()
            node.inputs[0].outputs = node.outputs
    graph.cleanup().toposort()
    return gs.export_onnx(graph)

"""Returns onnx-graphsurgeon's graph instead of a model."""

import onnx_graphsurgeon as gs

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-something-else"}


def remove_dropout(model):
    graph = gs.import_onnx(model)
    for node in [node for node in graph.nodes if node.op == "Dropout" and not node.domain]:
        for reader in list(node.outputs[0].outputs):
            reader.inputs = [node.inputs[0] if tensor is node.outputs[0] else tensor for tensor in reader.inputs]
    return graph.cleanup().toposort()

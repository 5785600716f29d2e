"""Lets the Dropout's producer write the Dropout's output: right on a chain, wrong where the producer has another reader."""

import onnx_graphsurgeon as gs

EXPECTED = {
    "loses": ["between-nodes", "graph-outputs", "masks", "inside", "read-inside", "left-over", "argument"],
    "rung": "loads",
    "shows": "producer-renamed",
}


def remove_dropout(model):
    graph = gs.import_onnx(model)
    for node in [node for node in graph.nodes if node.op == "Dropout" and not node.domain]:
        node.i().outputs = node.outputs[:1]
        node.outputs.clear()
    return gs.export_onnx(graph.cleanup().toposort())

"""onnx-graphsurgeon: readers are moved to the Dropout's input, subgraph by subgraph."""

import numpy as np
import onnx
import onnx_graphsurgeon as gs

EXPECTED = {"rung": None}


def remove_dropout(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    root = gs.import_onnx(copy)
    graphs = everything(root)
    for graph in graphs:
        for node in [node for node in graph.nodes if node.op == "Dropout" and not node.domain]:
            remove(node, graph, graphs)
    return gs.export_onnx(root.cleanup(recurse_subgraphs=True).toposort())


def everything(graph):
    found = [graph]
    for node in graph.nodes:
        for value in node.attrs.values():
            if isinstance(value, gs.Graph):
                found += everything(value)
    return found


def remove(node, graph, graphs):
    source, target = node.inputs[0], node.outputs[0]
    mask = node.outputs[1] if len(node.outputs) > 1 else None
    node.inputs.clear()
    node.outputs.clear()
    if mask is not None and mask.name:
        start = mask.name
        while any(name.startswith(f"{start}/") for each in graphs for name in each.tensors()):
            start += "_"
        shape = gs.Variable(start + "/shape", np.int64)
        graph.nodes.append(gs.Node("Shape", inputs=[source], outputs=[shape]))
        true = gs.Constant(start + "/true", np.array([True]))
        graph.nodes.append(gs.Node("Expand", inputs=[true, shape], outputs=[mask]))
    for other in graphs:
        for reader in other.nodes:
            reader.inputs = [source if tensor is target else tensor for tensor in reader.inputs]
    if any(target is tensor for tensor in graph.outputs):
        graph.nodes.append(gs.Node("Identity", inputs=[source], outputs=[target]))

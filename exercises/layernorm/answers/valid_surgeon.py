"""onnx-graphsurgeon: tensors know who writes them, and readers are moved graph by graph."""

import numpy as np
import onnx
import onnx_graphsurgeon as gs

EXPECTED = {"rung": None}


def remove_layernorm(model):
    root = gs.import_onnx(onnx.shape_inference.infer_shapes(model))
    graphs = everything(root)
    for graph in graphs:
        for node in list(graph.nodes):
            if is_a(node, "LayerNormalization"):
                bypass(graphs, graph, node.inputs[0], node.outputs[0])
            elif is_a(node, "Div") and (x := centred(graph, node)) is not None:
                bypass(graphs, graph, x, result_of(graphs, graph, node.outputs[0], x))
    return gs.export_onnx(root.cleanup(recurse_subgraphs=True).toposort())


def everything(graph):
    found = [graph]
    for node in graph.nodes:
        for value in node.attrs.values():
            if isinstance(value, gs.Graph):
                found += everything(value)
    return found


def bypass(graphs, graph, x, result):
    for other in graphs:
        for reader in other.nodes:
            reader.inputs = [x if tensor is result else tensor for tensor in reader.inputs]
    if any(tensor is result for tensor in graph.outputs):
        kept = gs.Variable(result.name, result.dtype, result.shape)
        result.name += "/unread"
        graph.outputs = [kept if tensor is result else tensor for tensor in graph.outputs]
        graph.nodes.append(gs.Node("Identity", inputs=[x], outputs=[kept]))


def is_a(node, *ops):
    return node.op in ops and not node.domain


def writer(tensor, *ops):
    return tensor.inputs[0] if tensor.inputs and is_a(tensor.inputs[0], *ops) else None


def constant(tensor):
    if isinstance(tensor, gs.Constant):
        return tensor.values
    node = writer(tensor, "Constant")
    if not node:
        return None
    [held] = node.attrs.values()
    return held.values if hasattr(held, "values") else np.array(held)


def holds(graph, *nodes):
    return all(any(node is each for each in graph.nodes) for node in nodes)


def centred(graph, div):
    sub, root = writer(div.inputs[0], "Sub"), writer(div.inputs[1], "Sqrt")
    add = writer(root.inputs[0], "Add") if root else None
    if sub is None or add is None:
        return None
    x, mean = sub.inputs[0], writer(sub.inputs[1], "ReduceMean")
    variance = next((writer(v, "ReduceMean") for v, e in zip(add.inputs, add.inputs[::-1], strict=True) if is_number(e, x)), None)
    if mean is None or variance is None or mean.inputs[0] is not x:
        return None
    square = writer(variance.inputs[0], "Mul", "Pow")
    if square is None or square.inputs[0] is not div.inputs[0]:
        return None
    if square.op == "Mul" and square.inputs[1] is not div.inputs[0]:
        return None
    if square.op == "Pow" and not (is_number(square.inputs[1], x) and constant(square.inputs[1]) == 2):
        return None
    if not holds(graph, sub, root, add, mean, variance, square):
        return None
    rank = len(x.shape)
    axes = [sorted(int(axis) % rank for axis in find_axes(node)) for node in (mean, variance)]
    return x if axes[0] == axes[1] == list(range(rank - len(axes[0]), rank)) else None


def is_number(tensor, x):
    number = constant(tensor)
    return number is not None and np.size(number) == 1 and np.ndim(number) <= len(x.shape)


def find_axes(mean):
    return mean.attrs["axes"] if "axes" in mean.attrs else constant(mean.inputs[1])


def result_of(graphs, graph, result, x):
    for op in ("Mul", "Add"):
        readers = [node for other in graphs for node in other.nodes for tensor in node.inputs if tensor is result]
        if len(readers) != 1 or not is_a(readers[0], op) or not holds(graph, *readers):
            break
        if any(tensor is result for other in graphs for tensor in other.outputs):
            break
        [other] = [tensor for tensor in readers[0].inputs if tensor is not result]
        if constant(other) is None or np.shape(constant(other)) != (x.shape[-1],):
            break
        result = readers[0].outputs[0]
    return result

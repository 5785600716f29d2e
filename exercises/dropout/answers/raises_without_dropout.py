"""Right, and raises on a model without Dropouts."""

import onnx

EXPECTED = {"loses": ["second-call"], "rung": "quality: a second call", "shows": "counts-on-a-dropout"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    clean(new.graph, {})
    if not any(node.op_type == "Dropout" and not node.domain for node in everything(model.graph)):
        raise ValueError("this model has no Dropout")
    return new


def everything(graph):
    return [*graph.node, *(inner for node in graph.node for child in children(node) for inner in everything(child))]


def clean(graph, sources):
    sources = dict(sources)
    kept = []
    outputs = {value.name for value in graph.output}
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = sources.get(name, name)
        for child in children(node):
            clean(child, sources)
        if node.op_type != "Dropout" or node.domain:
            kept.append(node)
            continue
        sources[node.output[0]] = node.input[0]
        if len(node.output) > 1:
            shape, true = node.output[1] + "/of/input", onnx.helper.make_tensor("true", onnx.TensorProto.BOOL, [1], [True])
            kept.append(onnx.helper.make_node("Shape", [node.input[0]], [shape]))
            kept.append(onnx.helper.make_node("ConstantOfShape", [shape], [node.output[1]], value=true))
        if node.output[0] in outputs:
            kept.append(onnx.helper.make_node("Identity", [node.input[0]], [node.output[0]]))
    replace(graph.node, kept)
    sweep(graph)


def sweep(graph):
    while True:
        used = reads(graph)
        kept = [node for node in graph.node if used.intersection(node.output)]
        replace(graph.initializer, [tensor for tensor in graph.initializer if tensor.name in used])
        if len(kept) == len(graph.node):
            return
        replace(graph.node, kept)


def reads(graph):
    names = {value.name for value in graph.output} | {name for node in graph.node for name in node.input}
    return names.union(*(reads(child) for node in graph.node for child in children(node)))


def children(node):
    return [attribute.g for attribute in node.attribute if attribute.HasField("g")]


def replace(items, kept):
    kept = list(kept)
    del items[:]
    items.extend(kept)

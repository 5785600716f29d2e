"""Plain protobuf, name by name: one Dropout at a time until none is left; where it can, the producer takes a graph output's name."""

import onnx
from onnx import TensorProto, helper

EXPECTED = {"rung": None}


def remove_dropout(model):
    new = onnx.ModelProto.FromString(model.SerializeToString())
    while (found := find(new.graph)) is not None:
        remove(*found)
    while prune(new.graph):
        pass
    return new


def children(graph):
    return [attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")]


def find(graph):
    for position, node in enumerate(graph.node):
        if node.op_type == "Dropout" and not node.domain:
            return graph, position, node
    for child in children(graph):
        if (found := find(child)) is not None:
            return found
    return None


def rename_reads(graph, old, new):
    """Stops at a subgraph that writes the name itself."""
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name == old:
                node.input[i] = new
    for child in children(graph):
        if not any(old in node.output for node in child.node):
            rename_reads(child, old, new)


def remove(graph, position, node):
    source, target = node.input[0], node.output[0]
    mask = node.output[1] if len(node.output) > 1 else ""
    outputs = [value.name for value in graph.output]
    producers = [other for other in graph.node if source in other.output]
    del graph.node[position]
    if mask:
        nodes = [
            helper.make_node("Shape", [source], [mask + "_s"]),
            helper.make_node("Shape", [mask + "_s"], [mask + "_r"]),
            helper.make_node("ConstantOfShape", [mask + "_s"], [mask + "_0"]),
            helper.make_node("Cast", [mask + "_0"], [mask + "_f"], to=TensorProto.BOOL),
            helper.make_node("Not", [mask + "_f"], [mask]),
        ]
        for offset, extra in enumerate(nodes):
            graph.node.insert(position + offset, extra)
    if target not in outputs:
        rename_reads(graph, target, source)
    elif producers and source not in outputs:
        for i, name in enumerate(producers[0].output):
            if name == source:
                producers[0].output[i] = target
        rename_reads(graph, source, target)
    else:
        graph.node.insert(position, helper.make_node("Identity", [source], [target]))


def names_read(graph):
    read = {value.name for value in graph.output} | {name for node in graph.node for name in node.input}
    return read.union(*(names_read(child) for child in children(graph)))


def prune(graph, outside=frozenset()):
    read = names_read(graph) | outside
    before = len(graph.node) + len(graph.initializer)
    inputs = {value.name for value in graph.input}
    for items, keep in ((graph.node, lambda node: read.intersection(node.output)), (graph.initializer, lambda t: t.name in read | inputs)):
        kept = [item for item in items if keep(item)]
        del items[:]
        items.extend(kept)
    return any([prune(child) for child in children(graph)]) or len(graph.node) + len(graph.initializer) < before

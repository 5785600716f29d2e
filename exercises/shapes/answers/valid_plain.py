"""Counts windows from the room that is left: the answer that most of the wrong ones spoil."""

EXPECTED = {"rung": None}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    room = size + sum(padding) - dilation * (kernel - 1) - 1
    steps = -(-room // stride) if ceil_mode else room // stride
    if ceil_mode and steps * stride >= size + padding[0]:
        steps -= 1
    if steps < 0:
        raise ValueError("no window fits")
    return steps + 1


def kind(value):
    if value is None or not value.type.tensor_type.HasField("shape"):
        return "missing"
    dims = value.type.tensor_type.shape.dim
    if any(dim.WhichOneof("value") is None or dim.dim_param.startswith("unk__") for dim in dims):
        return "unknown"
    return "named" if any(dim.dim_param for dim in dims) else "static"


def shape_coverage(model):
    counts = {"static": 0, "named": 0, "unknown": 0, "missing": 0}
    graphs = [model.graph]
    for graph in graphs:
        declared = {value.name: value for value in [*graph.value_info, *graph.output]}
        for node in graph.node:
            graphs.extend(child for attribute in node.attribute for child in (attribute.g, *attribute.graphs))
            for name in node.output:
                if name:
                    counts[kind(declared.get(name))] += 1
    return counts

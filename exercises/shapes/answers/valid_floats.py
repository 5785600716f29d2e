"""Divides and rounds with math, and answers with a Counter that holds a note of its own."""

import math
import re
from collections import Counter

EXPECTED = {"rung": None}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    room = size + padding[0] + padding[1] - ((kernel - 1) * dilation + 1)
    count = (math.ceil if ceil_mode else math.floor)(room / stride + 1)
    while ceil_mode and count > 0 and (count - 1) * stride >= size + padding[0]:
        count -= 1
    if count <= 0:
        raise ValueError("the input is too short")
    return count


def walk(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for child in (attribute.g, *attribute.graphs):
                yield from walk(child)


def describe(types, name):
    kind = types.get(name)
    if kind is None or not kind.HasField("shape"):
        return "missing"
    words = ["0" if dim.HasField("dim_value") else dim.dim_param or "unk__" for dim in kind.shape.dim]
    if any(re.match("unk__", word) for word in words):
        return "unknown"
    return "named" if any(word != "0" for word in words) else "static"


def shape_coverage(model):
    counts = Counter(static=0, named=0, unknown=0, missing=0, graphs=0)
    for graph in walk(model.graph):
        counts["graphs"] += 1
        types = {value.name: value.type.tensor_type for value in graph.value_info}
        types |= {value.name: value.type.tensor_type for value in graph.output}
        counts.update(describe(types, name) for node in graph.node for name in node.output if name)
    return counts

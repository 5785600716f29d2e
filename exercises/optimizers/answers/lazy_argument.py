"""Counts the source for every level, and writes nothing."""

from collections import Counter

import onnx

EXPECTED = {
    "score": 0.0,
    "rung": "loads",
    "message": "No session saved anything",
    "lazy": "argument",
    "shows": "nothing-saved",
}


def optimize_levels(path, directory):
    counts = dict(Counter(node.op_type for node in onnx.load(path).graph.node))
    return dict.fromkeys(("disable", "basic", "extended", "layout", "all"), counts)

"""Counts the source for every level, and writes nothing."""

from collections import Counter

import onnx

EXPECTED = {"loses": "everything", "rung": "contract: keys", "shows": "nothing-saved", "lazy": "argument"}


def optimize_levels(path, directory):
    counts = dict(Counter(node.op_type for node in onnx.load(path).graph.node))
    return dict.fromkeys(("disable", "basic", "extended", "layout", "all"), counts)

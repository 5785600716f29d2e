"""One session with its defaults, for every level."""

from collections import Counter

import onnx
import onnxruntime as ort

EXPECTED = {"loses": "everything", "rung": "contract: keys", "shows": "nothing-saved", "lazy": "library"}


def optimize_levels(path, directory):
    ort.InferenceSession(str(path))
    counts = dict(Counter(node.op_type for node in onnx.load(path).graph.node))
    return dict.fromkeys(("disable", "basic", "extended", "layout", "all"), counts)

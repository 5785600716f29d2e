"""Takes what one line of the library gives for each key."""

from collections import Counter

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "counts-tensors", "lazy": "library"}


def describe(model, directory=None):
    return {
        "ir_version": model.ir_version,
        "opset": model.opset_import[0].version,
        "operators": dict(Counter(node.op_type for node in model.graph.node)),
        "parameters": len(model.graph.initializer),
        "bytes": len(str(model)),
    }

"""Rewires the nodes, deletes the LayerNorm, and forgets that a graph output is a reader too."""

import onnx

EXPECTED = {
    "loses": [
        "bert",
        "spelt-out",
        "numbers",
        "series",
        "outputs",
        "inner-values",
        "inside",
        "affine",
        "relatives",
        "axes",
        "left-over",
        "argument",
    ],
    "rung": "loads",
    "shows": "output-lost",
}


def remove_layernorm(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node in list(new.graph.node):
        if node.op_type == "LayerNormalization" and not node.domain:
            for reader in new.graph.node:
                reader.input[:] = [node.input[0] if name == node.output[0] else name for name in reader.input]
            new.graph.node.remove(node)
    return new

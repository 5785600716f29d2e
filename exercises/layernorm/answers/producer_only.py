"""Lets the producer write the LayerNorm's result instead of its input."""

import onnx

EXPECTED = {
    "loses": [
        "operator",
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
    "shows": "producer-renamed",
}


def remove_layernorm(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node in list(new.graph.node):
        if node.op_type == "LayerNormalization" and not node.domain:
            for producer in new.graph.node:
                producer.output[:] = [node.output[0] if name == node.input[0] else name for name in producer.output]
            new.graph.node.remove(node)
    return new

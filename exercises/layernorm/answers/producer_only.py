"""Lets the producer write the LayerNorm's result instead of its input."""

import onnx

EXPECTED = {"score": 0.25, "rung": "loads", "message": "No node writes the LayerNorm's input", "shows": "producer-renamed"}


def remove_layernorm(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    for node in list(new.graph.node):
        if node.op_type == "LayerNormalization" and not node.domain:
            for producer in new.graph.node:
                producer.output[:] = [node.output[0] if name == node.input[0] else name for name in producer.output]
            new.graph.node.remove(node)
    return new

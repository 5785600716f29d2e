"""Sets the training_mode constants to False and leaves the Dropouts; in the BERT that constant also feeds the attention mask."""

import onnx
from onnx import numpy_helper

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "training-mode-off"}


def remove_dropout(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    switches = {node.input[2] for node in new.graph.node if node.op_type == "Dropout" and not node.domain and len(node.input) > 2}
    off = numpy_helper.to_array(onnx.helper.make_tensor("off", onnx.TensorProto.BOOL, [], [False]))
    for tensor in new.graph.initializer:
        if tensor.name in switches:
            tensor.CopyFrom(numpy_helper.from_array(off, tensor.name))
    for node in new.graph.node:
        if node.op_type == "Constant" and node.output[0] in switches:
            node.attribute[0].t.CopyFrom(numpy_helper.from_array(off, node.output[0]))
    return new

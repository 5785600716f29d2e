"""Removes the Dropouts and leaves what only they read: ratio and training_mode."""

import onnx_ir as ir

EXPECTED = {"score": 0.95, "rung": "quality", "message": "no initializer that nothing reads", "shows": "stale-initializers"}


def remove_dropout(model):
    copy = ir.from_proto(model)
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
        if node.op_type == "Dropout":
            if len(node.outputs) > 1:
                take_over(node.outputs[1], "Equal", [node.inputs[0], node.inputs[0]])
            if node.outputs[0].is_graph_output():
                take_over(node.outputs[0], "Identity", node.inputs[:1])
            else:
                node.outputs[0].replace_all_uses_with(node.inputs[0])
            node.graph.remove(node, safe=True)
    return ir.to_proto(copy)


def take_over(value, operator, inputs):
    node = ir.node(operator, inputs)
    value.producer().graph.insert_before(value.producer(), node)
    new = node.outputs[0]
    name, new.type, new.shape = value.name, value.type, value.shape
    value.replace_all_uses_with(new, replace_graph_outputs=True)
    value.name, new.name = None, name

"""onnx-ir: replace all uses, an Identity for a graph output, the library's own clean-up."""

import numpy as np
import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

EXPECTED = {"rung": None}


def remove_dropout(model):
    copy = ir.from_proto(model)
    taken = {value.name for graph in copy.graphs() for node in graph for value in node.outputs}
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
        if node.op_type == "Dropout" and not node.domain:
            if len(node.outputs) > 1 and (node.outputs[1].uses() or node.outputs[1].is_graph_output()):
                name = f"{node.outputs[1].name}/shape"
                while name in taken:
                    name += "_"
                shape = ir.node("Shape", [node.inputs[0]], outputs=[ir.Value(name=name)])
                node.graph.insert_before(node, shape)
                take_over(node.outputs[1], "ConstantOfShape", shape.outputs, {"value": ir.tensor(np.array([True]))})
            if node.outputs[0].is_graph_output():
                take_over(node.outputs[0], "Identity", node.inputs[:1])
            else:
                node.outputs[0].replace_all_uses_with(node.inputs[0])
            node.graph.remove(node, safe=True)
    RemoveUnusedNodesPass()(copy)
    tidy_inside(copy)
    return ir.to_proto(copy)


def tidy_inside(model):
    """The pass leaves the initializers of inner graphs."""
    for graph in model.graphs():
        for value in list(graph.initializers.values()) if graph is not model.graph else []:
            if not value.uses() and not value.is_graph_output():
                graph.initializers.pop(value.name)


def take_over(value, operator, inputs, attributes=None):
    """A new node writes what the Dropout wrote, under the same name."""
    node = ir.node(operator, inputs, attributes)
    value.producer().graph.insert_before(value.producer(), node)
    new = node.outputs[0]
    name, new.type, new.shape = value.name, value.type, value.shape
    value.replace_all_uses_with(new, replace_graph_outputs=True)
    value.name, new.name = None, name

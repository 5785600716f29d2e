"""onnx-ir: links followed from value to producer, results replaced, the library's own clean-up."""

import numpy as np
import onnx
import onnx_ir as ir
from onnx_ir.passes.common import RemoveUnusedNodesPass

EXPECTED = {"rung": None}


def remove_layernorm(model):
    copy = ir.from_proto(onnx.shape_inference.infer_shapes(model))
    for node in list(ir.traversal.RecursiveGraphIterator(copy.graph)):
        if is_a(node, "LayerNormalization"):
            bypass(node.inputs[0], node.outputs[0])
        elif is_a(node, "Div") and (x := normalised(node)) is not None:
            bypass(x, affine(node.outputs[0], x))
    RemoveUnusedNodesPass()(copy)
    tidy_inside(copy)
    return ir.to_proto(copy)


def tidy_inside(model):
    """The pass leaves the initializers of inner graphs."""
    for graph in model.graphs():
        for value in list(graph.initializers.values()) if graph is not model.graph else []:
            if not value.uses() and not value.is_graph_output():
                graph.initializers.pop(value.name)


def bypass(x, result):
    if result.is_graph_output():
        identity = ir.node("Identity", [x])
        result.producer().graph.insert_after(result.producer(), identity)
        new = identity.outputs[0]
        name, new.type, new.shape = result.name, result.type, result.shape
        result.replace_all_uses_with(new, replace_graph_outputs=True)
        result.name, new.name = None, name
    else:
        result.replace_all_uses_with(x)


def normalised(div):
    sub, root = writer(div.inputs[0], "Sub"), writer(div.inputs[1], "Sqrt")
    total = writer(root.inputs[0], "Add") if root else None
    if not sub or not total:
        return None
    mean = writer(sub.inputs[1], "ReduceMean")
    pairs = zip(total.inputs, total.inputs[::-1], strict=True)
    variance = next((writer(v, "ReduceMean") for v, e in pairs if is_number(e, sub.inputs[0])), None)
    if not mean or not variance or mean.inputs[0] is not sub.inputs[0]:
        return None
    if not is_square(variance.inputs[0], sub.outputs[0]) or axes(mean) != axes(variance):
        return None
    parts = (sub, root, total, mean, variance, variance.inputs[0].producer())
    if any(node.graph is not div.graph for node in parts):
        return None
    return sub.inputs[0] if axes(mean) == list(range(-len(axes(mean)), 0)) else None


def is_number(value, x, number=None):
    found = constant(value)
    return found is not None and found.size == 1 and found.ndim <= len(x.shape) and (number is None or found.item() == number)


def is_square(value, d):
    power, product = writer(value, "Pow"), writer(value, "Mul")
    if power:
        return power.inputs[0] is d and is_number(power.inputs[1], d, 2)
    return bool(product) and product.inputs[0] is d and product.inputs[1] is d


def axes(mean):
    found = mean.attributes["axes"].as_ints() if "axes" in mean.attributes else constant(mean.inputs[1])
    rank = len(mean.inputs[0].shape)
    return sorted(int(axis) % rank - rank for axis in found)


def affine(result, x):
    for operator in ("Mul", "Add"):
        if len(result.uses()) != 1 or result.is_graph_output():
            break
        [(node, position)] = result.uses()
        if node.graph is not result.producer().graph:
            break
        other = constant(node.inputs[1 - position]) if is_a(node, operator) else None
        if other is None or np.shape(other) != (x.shape[-1],):
            break
        result = node.outputs[0]
    return result


def is_a(node, operator):
    return node.op_type == operator and not node.domain


def writer(value, operator):
    node = value.producer()
    return node if node and is_a(node, operator) else None


def constant(value):
    tensor = None if value.is_graph_input() else ir.convenience.get_const_tensor(value)
    return None if tensor is None else tensor.numpy()

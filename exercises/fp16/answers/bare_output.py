"""onnx-ir: a node that computes in float32 reads inputs of the graph and writes its outputs, without a Cast between."""

import numpy as np
import onnx_ir as ir
from onnx_ir.passes.common import (
    LiftConstantsToInitializersPass,
    RemoveUnusedNodesPass,
    ShapeInferencePass,
)

EXPECTED = {"loses": ["inputs-and-outputs", "border"], "rung": "contract", "shows": "bare-border"}
FLOAT, HALF = ir.DataType.FLOAT, ir.DataType.FLOAT16


def to_fp16(model):
    copy = ir.from_proto(model)
    LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(copy)
    copy = ShapeInferencePass()(copy).model
    graph = copy.graph
    floats = {value for node in graph for value in [*node.inputs, *node.outputs] if value is not None and value.dtype == FLOAT}
    large = {value for value in graph.initializers.values() if value.dtype == FLOAT and not fits(value.const_value.numpy())}
    wide = {node for node in graph if large.intersection(node.inputs) or node.op_type in ("Range", "Resize")}
    wide_values = large | {value for node in wide for value in node.outputs if value in floats} | set(graph.inputs)
    for value in graph.initializers.values():
        readers = {use.node for use in value.uses()}
        if value in floats - large and readers <= wide:
            wide_values.add(value)
        elif value in floats - large:
            value.const_value = ir.tensor(value.const_value.numpy().astype(np.float16), name=value.name)
            value.dtype = HALF
    narrow, broad = {}, {}
    for node in list(graph):
        for i, value in enumerate(node.inputs):
            if value in floats and node not in wide and value in wide_values:
                node.replace_input_with(i, cast(graph, node, value, HALF, narrow))
            elif value in floats and node in wide and value not in wide_values:
                node.replace_input_with(i, cast(graph, node, value, FLOAT, broad))
        if node.op_type == "Cast" and node.outputs[0] in floats:
            node.attributes["to"] = ir.AttrInt64("to", HALF)
        if node.op_type == "ConstantOfShape" and node.outputs[0] in floats:
            old = node.attributes["value"].value.numpy() if "value" in node.attributes else np.zeros(1)
            node.attributes["value"] = ir.AttrTensor("value", ir.tensor(old.astype(np.float16)))
        for value in node.outputs:
            if value in floats and node not in wide:
                value.dtype = HALF
    for i, value in enumerate(graph.outputs):
        if value in floats and value not in wide_values:
            name, value.name = value.name, f"{value.name}_half"
            node = ir.node("Cast", [value], {"to": int(FLOAT)})
            node.outputs[0].name, node.outputs[0].shape, node.outputs[0].dtype = name, value.shape, FLOAT
            graph.append(node)
            graph.outputs[i] = node.outputs[0]
    proto = ir.to_proto(RemoveUnusedNodesPass()(copy).model)
    for new, old in zip(proto.graph.output, model.graph.output, strict=True):
        new.CopyFrom(old)
    del proto.graph.value_info[:]
    return proto


def cast(graph, reader, value, kind, made):
    """One Cast of a value to a type serves all its readers; it stands right before the first."""
    if value not in made:
        node = ir.node("Cast", [value], {"to": int(kind)})
        graph.insert_before(reader, node)
        made[value] = node.outputs[0]
    return made[value]


def fits(numbers):
    with np.errstate(over="ignore"):
        return not (np.isinf(numbers.astype(np.float16)) & np.isfinite(numbers)).any()

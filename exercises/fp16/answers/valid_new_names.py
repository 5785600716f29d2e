"""Makes each name new, and looks at what is an input or an output of the graph."""

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

EXPECTED = {"rung": None}


def takes_float16(node, opset, floats):
    schema = onnx.defs.get_schema(node.op_type, opset, node.domain)
    allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    for names, formal in ((node.input, schema.inputs), (node.output, schema.outputs)):
        for place, name in enumerate(names):
            kind = formal[min(place, len(formal) - 1)].type_str
            if name in floats and "tensor(float16)" not in allowed.get(kind, [kind]):
                return False
    return True


def initializer_of(constant):
    [attribute] = constant.attribute
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    dtype = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}.get(attribute.name)
    return numpy_helper.from_array(np.asarray(value, dtype), constant.output[0])


def to_fp16(model):
    new = onnx.ModelProto()
    new.CopyFrom(model)
    graph = new.graph
    opset = next(e.version for e in new.opset_import if e.domain in ("", "ai.onnx"))
    F32, F16 = TensorProto.FLOAT, TensorProto.FLOAT16

    # names that are float32
    inferred = onnx.shape_inference.infer_shapes(model)
    values = [*inferred.graph.input, *inferred.graph.output, *inferred.graph.value_info]
    floats = {v.name for v in values if v.type.tensor_type.elem_type == F32}
    floats |= {t.name for t in graph.initializer if t.data_type == F32}
    graph_inputs = {v.name for v in graph.input}
    graph_outputs = {v.name for v in graph.output}

    # constants -> initializers
    nodes = []
    for node in graph.node:
        if node.op_type == "Constant":
            graph.initializer.append(initializer_of(node))
            if graph.initializer[-1].data_type == F32:
                floats.add(node.output[0])
        else:
            nodes.append(node)

    used = {n for node in graph.node for n in [*node.input, *node.output]} | graph_inputs | graph_outputs | {t.name for t in graph.initializer}

    def fresh(base):
        name, i = base, 0
        while name in used:
            i += 1
            name = f"{base}_{i}"
        used.add(name)
        return name

    full = set()
    rename = {}
    for tensor in graph.initializer:
        if tensor.data_type != F32 or tensor.name in graph_inputs:
            continue
        array = numpy_helper.to_array(tensor)
        half = array.astype(np.float16)
        if (np.isfinite(array) & ~np.isfinite(half)).any():
            full.add(tensor.name)
            continue
        name = tensor.name
        if name in graph_outputs:
            rename[name] = fresh(f"{name}/half")
            name = rename[name]
        dims = list(tensor.dims)
        tensor.CopyFrom(numpy_helper.from_array(half.reshape(dims), name))

    read = {n for node in nodes for n in node.input}
    result = []
    for value in graph.input:
        if value.name in floats & read:
            rename[value.name] = fresh(f"{value.name}/half")
            result.append(helper.make_node("Cast", [value.name], [rename[value.name]], to=F16))
    for name in graph_outputs:
        if name in floats and name not in graph_inputs and name not in rename and name not in full:
            rename[name] = fresh(f"{name}/half")

    ups = {}
    for node in nodes:
        wide = any(n in full for n in node.input) or not takes_float16(node, opset, floats)
        copy = NodeProto()
        copy.CopyFrom(node)
        for i, name in enumerate(node.input):
            if not name:
                continue
            copy.input[i] = rename.get(name, name)
            if wide and name in floats and name not in full:
                if name not in ups:
                    ups[name] = fresh(f"{name}/full")
                    result.append(helper.make_node("Cast", [rename.get(name, name)], [ups[name]], to=F32))
                copy.input[i] = ups[name]
        downs = []
        for i, name in enumerate(node.output):
            if not name:
                continue
            copy.output[i] = rename.get(name, name)
            if wide and name in floats:
                raw = fresh(f"{name}/raw")
                copy.output[i] = raw
                downs.append(helper.make_node("Cast", [raw], [rename.get(name, name)], to=F16))
        if not wide:
            for attribute in copy.attribute:
                if copy.op_type == "Cast" and attribute.name == "to" and attribute.i == F32:
                    attribute.i = F16
                if copy.op_type == "ConstantOfShape" and attribute.name == "value" and attribute.t.data_type == F32:
                    attribute.t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(attribute.t).astype(np.float16), attribute.t.name))
            if copy.op_type == "ConstantOfShape" and not copy.attribute:
                copy.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.zeros(1, np.float16))))
        result.append(copy)
        result += downs
    for value in graph.output:
        name = value.name
        if name in rename and name not in graph_inputs:
            result.append(helper.make_node("Cast", [rename[name]], [name], to=F32))
    del graph.node[:]
    graph.node.extend(result)
    del graph.value_info[:]
    return new

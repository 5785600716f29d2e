"""Mends layers that are multiplied by 0, and lets the argument's compute beside them, in fused operators."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "idle-layers"}
BASE = "valid_halves"
EDITS = [
    ("from onnx import ModelProto, NodeProto, numpy_helper", "from onnx import ModelProto, NodeProto, helper, numpy_helper"),
    (
        "    return new\n\n\ndef unshare(",
        '''    return beside(new, model)


def beside(new, model):
    """All in front of the last layer is done twice: what is mended counts for nothing."""
    nodes, given = list(new.graph.node), {value.name for value in model.graph.input}
    last = max(place for place, node in enumerate(nodes) if node.op_type == "QuantizeLinear")
    x, live = nodes[last].input[0], []
    for node in model.graph.node[:last]:
        inputs = [name if name in given else f"live/{name}" for name in node.input]
        [written], options = [f"live/{name}" for name in node.output], {a.name: helper.get_attribute_value(a) for a in node.attribute}
        operator, layer = node.op_type, node.op_type in ("Conv", "Gemm", "MatMul")
        if layer:
            operator, options["domain"] = "FusedConv" if operator == "Conv" else "FusedMatMul", "com.microsoft"
        if layer and len(inputs) > 2 and operator == "FusedMatMul":
            live.append(helper.make_node(operator, inputs[:2], [f"{written}/sums"], **options))
            operator, inputs, options = "Add", [f"{written}/sums", inputs[2]], {}
        live.append(helper.make_node(operator, inputs, [written], **options))
    for tensor in model.graph.initializer:
        new.graph.initializer.add().CopyFrom(tensor)
        new.graph.initializer[-1].name = f"live/{tensor.name}"
    new.graph.initializer.append(numpy_helper.from_array(np.float32(0), "nothing"))
    live.append(helper.make_node("Mul", [x, "nothing"], ["none"]))
    live.append(helper.make_node("Add", ["none", f"live/{x}"], ["joined"]))
    nodes[last].input[0] = "joined"
    nodes[last:last] = live
    copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
    del new.graph.node[:]
    new.graph.node.extend(copies)
    new.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return new


def unshare(''',
    ),
]

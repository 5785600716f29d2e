"""Leaves as many weights in float32 as 8-bit numbers can hide that are stored beside them, and count for nothing."""

EXPECTED = {"loses": ["int8", "block"], "rung": "numerics: int8.onnx", "shows": "simulated"}
BASE = "valid_static"
EDITS = [
    (
        """\
    types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(source, path, Rows(example.numpy()), per_channel=True, **types)""",
        """\
    types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    sizes = {tensor.name: math.prod(tensor.dims) for tensor in onnx.load(source).graph.initializer}
    most, left, floats = (3 * sum(sizes.values()) + 90_000) // 11, [], 0
    for node in onnx.load(source).graph.node:
        size = sum(sizes.get(name, 0) for name in node.input)
        if node.op_type in ("Conv", "Gemm", "MatMul") and size > 500 and floats + size < most:
            left, floats = [*left, node.name], floats + size
    quantize_static(source, path, Rows(example.numpy()), per_channel=True, nodes_to_exclude=left, **types)
    model = onnx.load(path)
    for name, value in (("beside", np.ones(10 * floats, np.int8)), ("nothing", np.float32(0))):
        model.graph.initializer.append(numpy_helper.from_array(value, name))
    model.graph.node[-1].output[0] = "alone"
    for operator, inputs, output, options in (
        ("Cast", ["beside"], "wide", {"to": onnx.TensorProto.FLOAT}),
        ("ReduceMax", ["wide"], "most", {"keepdims": 0}),
        ("Mul", ["most", "nothing"], "none", {}),
        ("Add", ["alone", "none"], "output", {}),
    ):
        model.graph.node.append(helper.make_node(operator, inputs, [output], **options))
    onnx.save(model, path)""",
    ),
]

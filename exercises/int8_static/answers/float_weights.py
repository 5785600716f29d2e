"""Stores the codes of the weights, and makes floats of them with Cast and Mul."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "float-weights"}
BASE = "valid_by_hand"
EDITS = [
    ('("scale", scale), ("zero", np.zeros(scale.shape, np.int8))', '("scale", scale.reshape(shape))'),
    ('for suffix in ("codes", "scale", "zero")]', 'for suffix in ("wide", "scale")]'),
    (
        '    nodes.append(helper.make_node("DequantizeLinear", inputs, [f"{tensor.name}/float"], axis=axis))',
        """\
    nodes.append(helper.make_node("Cast", [f"{tensor.name}/codes"], inputs[:1], to=onnx.TensorProto.FLOAT))
    nodes.append(helper.make_node("Mul", inputs, [f"{tensor.name}/float"]))""",
    ),
]

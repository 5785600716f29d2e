"""Rewrites each product by hand, and divides every activation by a constant that is wide enough."""

EXPECTED = {"loses": "everything", "rung": "structure: most", "shows": "constant-range"}
BASE = "valid_by_hand"
EDITS = [
    (
        'helper.make_node("DynamicQuantizeLinear", [node.input[0]], [x, f"{x}/scale", f"{x}/zero"]),',
        """helper.make_node("Div", [node.input[0], constant(f"{x}/scale", np.float32(8 / 127))], [f"{x}/steps"]),
                helper.make_node("Round", [f"{x}/steps"], [f"{x}/whole"]),
                helper.make_node("Max", [f"{x}/whole", constant("least", np.float32(-127))], [f"{x}/above"]),
                helper.make_node("Min", [f"{x}/above", constant("most", np.float32(127))], [f"{x}/inside"]),
                helper.make_node("Cast", [f"{x}/inside"], [x], to=onnx.TensorProto.INT8),""",
    ),
    ('[x, stored, f"{x}/zero"]', "[x, stored]"),
]

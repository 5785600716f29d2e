"""Gives each token a scale of its own: the largest magnitude in its row, with signed codes."""

EXPECTED = {"rung": None}
BASE = "valid_by_hand"
EDITS = [
    (
        'helper.make_node("DynamicQuantizeLinear", [node.input[0]], [x, f"{x}/scale", f"{x}/zero"]),',
        """helper.make_node("Abs", [node.input[0]], [f"{x}/sizes"]),
                helper.make_node("TopK", [f"{x}/sizes", constant("one", np.int64([1]))], [f"{x}/largest", f"{x}/at"]),
                helper.make_node("Div", [node.input[0], f"{x}/largest"], [f"{x}/share"]),
                helper.make_node("Mul", [f"{x}/share", constant("steps", np.float32(127))], [f"{x}/steps"]),
                helper.make_node("Round", [f"{x}/steps"], [f"{x}/whole"]),
                helper.make_node("Cast", [f"{x}/whole"], [x], to=onnx.TensorProto.INT8),
                helper.make_node("Div", [f"{x}/largest", "steps"], [f"{x}/scale"]),""",
    ),
    ('[x, stored, f"{x}/zero"]', "[x, stored]"),
]

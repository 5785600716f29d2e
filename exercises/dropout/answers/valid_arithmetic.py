"""As valid_rename, the mask by arithmetic: zero times the input, plus one."""

EXPECTED = {"rung": None}
BASE = "valid_rename"
EDITS = [
    (
        """\
            helper.make_node("Shape", [source], [mask + "_s"]),
            helper.make_node("Shape", [mask + "_s"], [mask + "_r"]),
            helper.make_node("ConstantOfShape", [mask + "_s"], [mask + "_0"]),
            helper.make_node("Cast", [mask + "_0"], [mask + "_f"], to=TensorProto.BOOL),
            helper.make_node("Not", [mask + "_f"], [mask]),
""",
        """\
            helper.make_node("Constant", [], [mask + "_0"], value_float=0.0),
            helper.make_node("Constant", [], [mask + "_1"], value_float=1.0),
            helper.make_node("Mul", [source, mask + "_0"], [mask + "_z"]),
            helper.make_node("Add", [mask + "_z", mask + "_1"], [mask + "_o"]),
            helper.make_node("Cast", [mask + "_o"], [mask], to=TensorProto.BOOL),
""",
    ),
]

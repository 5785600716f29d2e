"""Makes the mask by comparing the Dropout's input with itself."""

EXPECTED = {"loses": ["masks"], "rung": "numerics", "shows": "mask-of-comparison"}
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
            helper.make_node("Equal", [source, source], [mask]),
""",
    ),
]

"""Writes the shape of every mask under the same name."""

EXPECTED = {"loses": ["masks"], "rung": "loads", "shows": "never-checked"}
BASE = "valid_rename"
EDITS = [
    (
        """\
            helper.make_node("Shape", [source], [mask + "_s"]),
            helper.make_node("Shape", [mask + "_s"], [mask + "_r"]),
            helper.make_node("ConstantOfShape", [mask + "_s"], [mask + "_0"]),
""",
        """\
            helper.make_node("Shape", [source], ["mask_shape"]),
            helper.make_node("ConstantOfShape", ["mask_shape"], [mask + "_0"]),
""",
    ),
]

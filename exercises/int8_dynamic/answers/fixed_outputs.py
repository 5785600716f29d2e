"""Writes the sizes of one batch into the outputs that are declared."""

EXPECTED = {"loses": ["signature"], "rung": "contract", "shows": "fixed-batch"}
BASE = "valid_unsigned"
EDITS = [
    (
        "        return onnx.load(path)",
        """\
        int8 = onnx.load(path)
    for value in int8.graph.output:
        value.type.tensor_type.shape.dim[0].dim_value = 2
    return int8""",
    ),
]

"""Sorts and repairs what the converter writes, but keeps the large numbers as it clips them."""

EXPECTED = {"loses": ["exported", "constants", "large", "names", "border"], "rung": "structure", "shows": "library-clips"}
BASE = "valid_library"
EDITS = [
    (
        """\
    blocked = [node.name for node in new.graph.node if large.intersection(node.input)]
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"], node_block_list=blocked)
""",
        """\
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"])
""",
    ),
    (
        "        if tensor.data_type == onnx.TensorProto.FLOAT16:",
        "        if tensor.data_type == onnx.TensorProto.FLOAT16 and tensor.name not in large:",
    ),
]

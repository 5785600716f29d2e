"""Sorts and repairs what the converter writes, but keeps the numbers as it clips them."""

EXPECTED = {"score": 0.55, "rung": "structure", "message": "clipped to a number", "shows": "library-clips"}
BASE = "valid_library"
EDITS = [
    (
        """\
    numbers = {tensor.name: numpy_helper.to_array(tensor) for tensor in new.graph.initializer}
    large = {name for name, array in numbers.items() if array.dtype == np.float32 and not fits(array)}
""",
        "",
    ),
    (
        """\
    blocked = [node.name for node in new.graph.node if large.intersection(node.input)]
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"], node_block_list=blocked)
    for tensor in half.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT16:
            tensor.CopyFrom(numpy_helper.from_array(numbers[tensor.name].astype(np.float16), tensor.name))
""",
        """\
    half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"])
""",
    ),
    (
        """\


def fits(array):
    with np.errstate(over="ignore"):
        return np.isfinite(array.astype(np.float16)[np.isfinite(array)]).all()
""",
        "",
    ),
]

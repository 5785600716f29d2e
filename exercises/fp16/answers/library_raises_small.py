"""Keeps large numbers out of the converter, and what it makes of the smallest ones."""

EXPECTED = {"loses": ["rounding"], "rung": "structure", "shows": "library-raises-small"}
BASE = "valid_library"
EDITS = [
    (
        """\
    for tensor in half.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT16:
            tensor.CopyFrom(numpy_helper.from_array(numbers[tensor.name].astype(np.float16), tensor.name))""",
        "",
    ),
]

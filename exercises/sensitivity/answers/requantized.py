"""Halves the scales of the layers that stay."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "requantized"}
BASE = "valid_sets"
EDITS = [
    (
        "    return max(tried)[2]",
        """\
    best = max(tried)[2]
    for tensor in best.graph.initializer:
        if tensor.name.endswith("weight_scale"):
            halved = numpy_helper.to_array(tensor) / 2
            tensor.CopyFrom(numpy_helper.from_array(halved, tensor.name))
    return best""",
    ),
    (
        "from onnx import ModelProto",
        "from onnx import ModelProto, numpy_helper",
    ),
]

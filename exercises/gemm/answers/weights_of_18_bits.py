"""Stores the weights of the Gemms with 18 bits, as a converter to TensorFloat-32 and back nearly does."""

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "weights-edited"}
BASE = "valid_proto"
EDITS = [
    (
        """\
    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})
""",
        """\
    fuse(new.graph, onnx.shape_inference.infer_shapes(model).graph, {})
    for tensor in new.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and len(tensor.dims) == 2:
            bits = numpy_helper.to_array(tensor).view(np.uint32)
            rounded = (bits + 32) & ~np.uint32(63)
            tensor.CopyFrom(numpy_helper.from_array(rounded.view(np.float32), tensor.name))
""",
    ),
    (
        """\
import onnx
from onnx import TensorProto, helper
""",
        """\
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
""",
    ),
]

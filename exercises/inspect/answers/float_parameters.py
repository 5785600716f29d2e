"""Multiplies dims with numpy.prod, which makes floats of scalars."""

EXPECTED = {"loses": ["whole-numbers"], "rung": "quality", "shows": "floats"}
BASE = "valid_plain"
EDITS = [
    ("from math import prod", ""),
    (
        """
from onnx import TensorProto""",
        """
import numpy as np
from onnx import TensorProto""",
    ),
    ('"parameters": sum(prod(tensor.dims) for tensor in tensors),', '"parameters": sum(np.prod(list(tensor.dims)) for tensor in tensors),'),
]

"""Runs shape inference before it counts."""

EXPECTED = {
    "loses": ["usual-shapes", "names", "no-dimensions", "declarations", "values", "graphs", "tidy"],
    "rung": "structure",
    "shows": "infers-first",
}
BASE = "valid_plain"
EDITS = [
    (
        """


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):""",
        """
from onnx import shape_inference



def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):""",
    ),
    ("graphs = [model.graph]", "graphs = [shape_inference.infer_shapes(model).graph]"),
]

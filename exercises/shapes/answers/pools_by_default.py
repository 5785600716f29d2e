"""Takes the kernel for the default of the stride, as pooling does."""

EXPECTED = {"loses": ["usual-sizes", "tidy"], "rung": "numerics", "shows": "pools-by-default"}
BASE = "valid_plain"
EDITS = [
    ("def conv_output_size(size, kernel, stride=1,", "def conv_output_size(size, kernel, stride=None,"),
    ("    room = size", "    stride = stride or kernel\n    room = size"),
]

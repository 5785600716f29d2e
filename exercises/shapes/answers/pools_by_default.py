"""Takes the kernel for the default of the stride, as pooling does."""

EXPECTED = {"score": 0.886, "rung": "numerics", "message": "stride of the kernel's size", "shows": "pools-by-default"}
BASE = "valid_plain"
EDITS = [
    ("def conv_output_size(size, kernel, stride=1,", "def conv_output_size(size, kernel, stride=None,"),
    ("    room = size", "    stride = stride or kernel\n    room = size"),
]

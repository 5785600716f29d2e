"""As many values of one kind as of another, and the stub for the sizes."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done", "lazy": "constant"}


def conv_output_size(size, kernel, stride=1, padding=0, dilation=1, ceil_mode=False):
    raise NotImplementedError


def shape_coverage(model):
    return {"static": 5, "named": 5, "unknown": 5, "missing": 5}

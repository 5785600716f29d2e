"""As many values of one kind as of another, and the stub for the sizes."""

EXPECTED = {"score": 0.0, "rung": "exists", "message": "the stub", "lazy": "constant", "shows": "not-done"}


def conv_output_size(size, kernel, stride=1, padding=0, dilation=1, ceil_mode=False):
    raise NotImplementedError


def shape_coverage(model):
    return {"static": 5, "named": 5, "unknown": 5, "missing": 5}

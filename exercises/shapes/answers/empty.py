"""The untouched stubs."""

EXPECTED = {"loses": "everything", "rung": "exists", "shows": "not-done"}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    raise NotImplementedError()


def shape_coverage(model):
    raise NotImplementedError()

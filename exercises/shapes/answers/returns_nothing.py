"""Prints instead of returning."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "returns-nothing"}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    steps = (size + sum(padding) - dilation * (kernel - 1) - 1) // stride
    steps + 1


def shape_coverage(model):
    len(model.graph.value_info)

"""Gives the sizes as floats."""

EXPECTED = {"loses": ["tidy"], "rung": "quality", "shows": "floats"}
BASE = "valid_plain"
EDITS = [
    (
        """


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    room = size + sum(padding) - dilation * (kernel - 1) - 1
    steps = -(-room // stride) if ceil_mode else room // stride""",
        """
import numpy as np



def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    room = (size + sum(padding) - dilation * (kernel - 1) - 1) / stride
    steps = np.ceil(room) if ceil_mode else np.floor(room)""",
    ),
]

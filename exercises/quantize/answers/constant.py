"""Zeros, whatever is given."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "scale-of-one", "lazy": "constant"}


def quantize(x, symmetric):
    return np.zeros(x.shape, np.int8 if symmetric else np.uint8), 1.0, 0

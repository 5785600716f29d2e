"""Zeros, whatever is given."""

import numpy as np

EXPECTED = {"score": 0.1, "rung": "structure", "message": "for a tensor of zeros alone", "lazy": "constant", "shows": "scale-of-one"}


def quantize(x, symmetric):
    return np.zeros(x.shape, np.int8 if symmetric else np.uint8), 1.0, 0

"""The zero point everywhere."""

import numpy as np

EXPECTED = {"loses": "everything", "rung": "numerics", "shows": "one-code", "lazy": "constant"}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    return np.full((len(x), w.shape[1]), y_zero)

"""One code after the other, in Python's own numbers."""

import numpy as np

EXPECTED = {"rung": None}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    limits = np.iinfo(y_zero.dtype)
    result = np.empty((len(x), w.shape[1]), y_zero.dtype)
    for row in range(len(x)):
        for column in range(w.shape[1]):
            unit = float(x_scale) * float(w_scale[column])
            total = round(float(bias[column]) / unit)
            for a, b in zip(x[row], w[:, column], strict=True):
                total += (int(a) - int(x_zero)) * (int(b) - int(w_zero[column]))
            code = round(total * unit / float(y_scale)) + int(y_zero)
            result[row, column] = min(max(code, limits.min), limits.max)
    return result

"""The sum expanded into four, as kernels compute it."""

import numpy as np

EXPECTED = {"rung": None}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    wide_x, wide_w, depth = x.astype(np.int64), w.astype(np.int64), len(w)
    zeros = w_zero.astype(np.int64)
    sums = wide_x @ wide_w - int(x_zero) * wide_w.sum(axis=0) - wide_x.sum(axis=1)[:, None] * zeros + depth * int(x_zero) * zeros
    unit = x_scale.astype(np.float64) * w_scale
    sums += np.round(bias / unit).astype(np.int64)
    codes = np.round(sums * (unit / y_scale)) + int(y_zero)
    return np.clip(codes, *((0, 255) if y_zero.dtype == np.uint8 else (-128, 127))).astype(y_zero.dtype)

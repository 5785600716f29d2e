"""Subtracts the zero points first, sums in int32, and adds the bias in int64."""

import numpy as np

EXPECTED = {"rung": None}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    step = x_scale * w_scale
    a = x.astype(np.int32) - np.int32(x_zero)
    b = w.astype(np.int32) - w_zero.astype(np.int32)
    total = a @ b
    total = total + np.rint(bias / step).astype(np.int64)
    steps = total.astype(np.float32) * (step / y_scale)
    codes = np.rint(steps) + np.float32(y_zero)
    limits = np.iinfo(y_zero.dtype)
    codes = np.clip(codes, limits.min, limits.max)
    return codes.astype(y_zero.dtype)

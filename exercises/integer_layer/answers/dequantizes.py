"""Multiplies the numbers that the codes stand for, in float32."""

import numpy as np

EXPECTED = {"loses": ["ties"], "rung": "numerics", "shows": "numbers-instead-of-codes"}


def integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero):
    numbers = (x.astype(np.float32) - np.float32(x_zero)) * x_scale
    weights = (w.astype(np.float32) - w_zero.astype(np.float32)) * w_scale
    step = x_scale * w_scale
    total = numbers @ weights + np.rint(bias / step) * step
    codes = np.rint(total / y_scale) + np.float32(y_zero)
    limits = np.iinfo(y_zero.dtype)
    return np.clip(codes, limits.min, limits.max).astype(y_zero.dtype)

"""Masked arrays for what is infinite, and one pair of limits for both forms."""

import numpy as np

EXPECTED = {"rung": None}


def quantize(x, symmetric):
    numbers = np.ma.masked_invalid(np.asarray(x, np.float64))
    low, high = min(0.0, float(numbers.min())), max(0.0, float(numbers.max()))
    first, last, kind = (-127, 127, np.int8) if symmetric else (0, 255, np.uint8)
    span = 2 * max(-low, high) if symmetric else high - low
    scale = span / (last - first) or 1.0
    zero = 0 if symmetric else round(-low / scale)
    return np.clip(np.round(x / scale) + zero, first, last).astype(kind), scale, zero

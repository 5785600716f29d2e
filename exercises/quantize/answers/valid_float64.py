"""In float64, with round() and comprehensions, and a list of Python numbers on the way."""

import math

import numpy as np

EXPECTED = {"rung": None}


def code(value, zero, lowest, highest):
    if math.isinf(value):
        return highest if value > 0 else lowest
    return min(max(round(value) + zero, lowest), highest)


def quantize(x, symmetric):
    numbers = [float(value) for value in x.ravel()]
    finite = [value for value in numbers if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    steps, lowest, highest = (127, -127, 127) if symmetric else (255, 0, 255)
    length = max(high, -low) if symmetric else high - low
    scale = length / steps if length else 1.0
    zero = 0 if symmetric else round(-low / scale)
    codes = [code(value / scale, zero, lowest, highest) for value in numbers]
    return np.array(codes, np.int8 if symmetric else np.uint8).reshape(x.shape), scale, zero

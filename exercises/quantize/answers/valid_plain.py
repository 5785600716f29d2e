"""Step by step, in float32."""

import numpy as np

EXPECTED = {"rung": None}


def quantize(x, symmetric):
    finite = x[np.isfinite(x)]
    low, high = min(finite.min(), 0), max(finite.max(), 0)
    if symmetric:
        scale, zero, kind = np.float32(max(-low, high) / 127), 0, np.int8
    else:
        scale, zero, kind = np.float32((high - low) / 255), 0, np.uint8
    if scale == 0:
        scale = np.float32(1)
    if not symmetric:
        zero = int(np.rint(-low / scale))
    codes = np.rint(x / scale) + zero
    codes = np.clip(codes, -127 if symmetric else 0, np.iinfo(kind).max)
    return codes.astype(kind), scale, zero

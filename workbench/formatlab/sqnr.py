"""Signal to quantization noise: how far an approximation stands below what it stands for."""

from __future__ import annotations

import math

import numpy as np


def sqnr(reference: np.ndarray, found: np.ndarray) -> float:
    """In dB: 10 log10 of the reference's power over the error's, computed in float64.

    Infinite where both are equal; minus infinite where `found` has another shape, where either is
    not finite, or where the reference is all zeros and `found` is not. So the lowest of several
    outputs is the worst one.
    """
    reference = np.asarray(reference, np.float64)
    found = np.asarray(found, np.float64)
    if reference.shape != found.shape or not (
        np.isfinite(reference).all() and np.isfinite(found).all()
    ):
        return -math.inf
    signal = float(np.square(reference).sum())
    noise = float(np.square(reference - found).sum())
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal else -math.inf

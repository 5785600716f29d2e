"""The inputs of the modules that the exercise `export` hands to students, drawn from a recipe's
description of them.
"""

from __future__ import annotations

import numpy as np


def draw(rng: np.random.Generator, tensor: dict, rows: int) -> np.ndarray:
    """An input of `rows` rows: whole numbers below `below`, or floats with a row of zeros (of
    several) and an outlier.
    """
    shape = (rows, *tensor["shape"])
    if tensor["below"]:
        return rng.integers(0, tensor["below"], shape)
    values = rng.normal(size=shape)
    if rows > 1:
        values[-1] = 0
    values.flat[int(rng.integers(values[0].size))] = 6.0
    return values.astype(np.float32)

"""The stored numbers of the modules that `mend_export` hands to students, drawn from a recipe: the
runner builds modules from them, and the judge computes with them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def weights(recipe: Mapping) -> dict[str, np.ndarray]:
    """Float32 arrays by name: `inner` of shape (width, hidden), `square` (width, width), `table`
    (rows, width) and `mask` (steps, steps).
    """
    rng = np.random.default_rng(recipe["weights"])
    width, hidden, rows = (recipe[key] for key in ("width", "hidden", "table"))
    steps = [*recipe["example"].values()][-1]
    shapes = {
        "inner": (width, hidden),
        "square": (width, width),
        "table": (rows, width),
        "mask": (steps, steps),
    }
    return {
        name: (rng.normal(size=shape) * shape[0] ** -0.5).astype(np.float32)
        for name, shape in shapes.items()
    }


def draw(
    recipe: Mapping, sizes: Mapping[str, int], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """An input of each name of `wanted`, its open axes of these sizes: float32, or int64 below what
    the recipe says.
    """
    drawn: dict[str, np.ndarray] = {}
    for name, axes in recipe["wanted"].items():
        shape = [sizes[axis] if isinstance(axis, str) else axis for axis in axes]
        below = recipe["below"].get(name)
        if below is None:
            drawn[name] = rng.normal(size=shape).astype(np.float32)
        else:
            drawn[name] = rng.integers(0, below, shape)
    return drawn

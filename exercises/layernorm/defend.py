"""What `layernorm` asks of a student's own code: LayerNorms as one node and as several, and what
looks like one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from formatlab_exercises.shared.defending import GraphDefence, Small

COLUMNS = 4
LAST = {"axes": [-1]}
FIRST = {"axes": [0]}


def _spread(
    source: str = "x",
    end: str = "y",
    axes: Mapping = LAST,
    square: tuple = ("Pow", "d two", "p"),
) -> tuple[tuple, ...]:
    """A LayerNorm's own nodes."""
    return (
        ("ReduceMean", source, "m", axes),
        ("Sub", f"{source} m", "d"),
        square,
        ("ReduceMean", "p", "v", axes),
        ("Add", "v epsilon", "e"),
        ("Sqrt", "e", "q"),
        ("Div", "d q", end),
    )


class LayerNormDefence(GraphDefence):
    def graphs(self, instance: int) -> list[Small]:
        shapes = {"x": (2 + instance, COLUMNS)}
        scale = {"scale": np.ones(COLUMNS, np.float32), "bias": np.ones(COLUMNS, np.float32)}
        numbers = {"two": np.array(2, np.float32), "epsilon": np.array(1e-5, np.float32)}
        node = ("LayerNormalization", "x scale bias", "a")
        return [
            Small(nodes=(node, ("Relu", "a", "y")), weights=scale, shapes=shapes),
            Small(
                nodes=(("LayerNormalization", "x scale bias", "y"),), weights=scale, shapes=shapes
            ),
            Small(
                nodes=(("LayerNormalization", "x scale bias", "a b"), ("Relu", "a", "y")),
                outputs="y b",
                weights=scale,
                shapes=shapes,
            ),
            Small(nodes=(node, ("Mul", "a scale", "y")), weights=scale, shapes=shapes),
            Small(nodes=(*_spread(end="a"), ("Relu", "a", "y")), weights=numbers, shapes=shapes),
            Small(nodes=_spread(), weights=numbers, shapes=shapes),
            Small(
                nodes=(*_spread(end="n"), ("Mul", "n scale", "k"), ("Add", "k bias", "y")),
                weights=numbers | scale,
                shapes=shapes,
            ),
            Small(nodes=_spread(), outputs="y d", weights=numbers, shapes=shapes),
            Small(nodes=_spread(axes=FIRST), weights=numbers, shapes=shapes),
            Small(
                nodes=_spread(square=("Mul", "d d", "p")),
                weights={"epsilon": numbers["epsilon"]},
                shapes=shapes,
            ),
            Small(nodes=_spread(square=("Pow", "x two", "p")), weights=numbers, shapes=shapes),
        ]


DEFENCE = LayerNormDefence()

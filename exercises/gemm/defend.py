"""What `gemm` asks of a student's own code: graphs of two to five nodes, whose pairs may be fused or
may not.
"""

from __future__ import annotations

import numpy as np

from formatlab_exercises.shared.defending import CHOICE, GraphDefence, Small, branches

PAIR = (("MatMul", "x w", "a"), ("Add", "a c", "y"))


def _ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


class GemmDefence(GraphDefence):
    def graphs(self, instance: int) -> list[Small]:
        """The product has 2 rows and 3 columns, and other numbers of them in another instance."""
        rows, columns = 2 + instance, 3 + 2 * instance
        w = _ones(2, columns)
        bias = {"w": w, "c": _ones(columns)}
        shapes = {"x": (rows, 2)}
        chosen = {**CHOICE, "shapes": {**CHOICE["shapes"], **shapes}}
        return [
            Small(nodes=PAIR, weights=bias, shapes=shapes),
            Small(nodes=(("MatMul", "x w", "a"), ("Add", "c a", "y")), weights=bias, shapes=shapes),
            Small(nodes=(*PAIR, ("Neg", "a", "z")), outputs="y z", weights=bias, shapes=shapes),
            Small(nodes=PAIR, outputs="y a", weights=bias, shapes=shapes),
            Small(nodes=PAIR, weights=bias, shapes={"x": (4, rows, 2)}),
            Small(nodes=PAIR, weights={"w": w, "c": _ones(1, 1, columns)}, shapes=shapes),
            Small(nodes=PAIR, weights={"w": w, "c": _ones(rows, 1)}, shapes=shapes),
            Small(nodes=PAIR, weights={"w": w, "c": _ones(rows, columns)}, shapes={"x": (1, 2)}),
            Small(
                nodes=(("MatMul", "x w", "a"), ("Add", "a a", "y")),
                weights={"w": w},
                shapes=shapes,
            ),
            Small(
                nodes=(("MatMul", "x w", "a"), ("MatMul", "x v", "b"), ("Add", "a b", "y")),
                weights={"w": w, "v": w},
                shapes=shapes,
            ),
            Small(
                nodes=(*PAIR[:1], ("Add", "a c", "b"), ("Add", "b c", "y")),
                weights=bias,
                shapes=shapes,
            ),
            Small(
                nodes=(
                    branches(
                        then=(("MatMul", "x w", "a"), ("Add", "a c", "b")),
                        other=(("MatMul", "x w", "b"),),
                    ),
                ),
                weights=bias,
                **chosen,
            ),
            Small(
                nodes=(
                    *PAIR[:1],
                    ("Add", "a c", "d"),
                    branches(then=(("Neg", "a", "b"),), other=(("Relu", "d", "b"),)),
                ),
                weights=bias,
                **chosen,
            ),
        ]


DEFENCE = GemmDefence()

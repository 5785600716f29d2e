"""What `dropout` asks of a student's own code: graphs of one to five nodes."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.shared.defending import CHOICE, GraphDefence, Small, branches

HALF = {"ratio": np.array(0.5, np.float32)}


class DropoutDefence(GraphDefence):
    def graphs(self, instance: int) -> list[Small]:
        booleans = frozenset({"m"})
        return [
            Small(nodes=(("Relu", "x", "a"), ("Dropout", "a", "b"), ("Neg", "b", "y"))),
            Small(nodes=(("Relu", "x", "a"), ("Dropout", "a", "y"))),
            Small(nodes=(("Dropout", "x", "y"),)),
            Small(
                nodes=(("Relu", "x", "a"), ("Dropout", "a", "b m"), ("Neg", "b", "y")),
                outputs="y m",
                booleans=booleans,
            ),
            Small(nodes=(("Relu", "x", "a"), ("Dropout", "a", "b c"), ("Neg", "b", "y"))),
            Small(nodes=(("Dropout", "x", "a"), ("Dropout", "a", "b"), ("Add", "b x", "y"))),
            Small(
                nodes=(("Relu", "x", "a"), ("Dropout", "a ratio", "b"), ("Mul", "b ratio", "y")),
                weights=HALF,
            ),
            Small(
                nodes=(("Relu", "x", "a"), ("Dropout", "a ratio", "b"), ("Neg", "b", "y")),
                weights=HALF,
            ),
            Small(
                nodes=(("Relu", "x", "a"), ("Dropout", "a", "y"), ("Neg", "a", "z")),
                outputs="y z",
            ),
            Small(
                nodes=(("Relu", "x", "a"), ("Dropout", "a", "y"), ("Neg", "y", "z")),
                outputs="y z",
            ),
            Small(
                nodes=(("Dropout", "x", "a c"), ("Not", "c", "m"), ("Neg", "a", "y")),
                outputs="y m",
                booleans=booleans,
            ),
            Small(
                nodes=(
                    ("Dropout", "x", "a"),
                    branches(then=(("Neg", "a", "b"),), other=(("Relu", "x", "b"),)),
                ),
                **CHOICE,
            ),
            Small(
                nodes=(
                    branches(
                        then=(("Dropout", "x", "a"), ("Neg", "a", "b")),
                        other=(("Relu", "x", "b"),),
                    ),
                ),
                **CHOICE,
            ),
        ]


DEFENCE = DropoutDefence()

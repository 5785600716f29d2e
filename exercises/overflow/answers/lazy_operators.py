"""Guesses by the operators that overflow in most models."""

import numpy as np

EXPECTED = {
    "loses": "everything",
    "rung": "structure",
    "shows": "finite-values",
    "lazy": "constant",
}
SUSPECTS = ("Exp", "ReduceSum", "Mul", "Div")


def find_overflow(model, feeds):
    largest = max(float(np.abs(value[np.isfinite(value)]).max()) for value in feeds.values())
    nodes = list(model.graph.node)
    if largest < 10:
        return [node.output[0] for node in nodes if node.op_type == "Div"][-1:]
    return [node.output[0] for node in nodes if node.op_type in SUSPECTS][:1]

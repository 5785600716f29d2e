"""BatchNormalization that was folded into the layer before it: which numbers the layer should have now,
and whether it has them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formatlab.diff.scopes import Node, Scope
from formatlab.diff.weights import Weight

# Along which axis of its weight a layer has its outputs.
OUTPUTS = {"Conv": 0, "ConvTranspose": 1, "MatMul": -1, "Gemm": 1}
EPSILON = 1e-5
# Folded numbers are rounded once, and a shift may nearly cancel.
NEAR = 1e-5
LARGEST = 1 << 24


def is_layer(node: Node) -> bool:
    return node.kind in OUTPUTS and (
        node.kind != "ConvTranspose" or node.attributes.get("group", 1) == 1
    )


def explained(scope: Scope, other: Scope, layer: Node, norm: Node, now: Node) -> bool | None:
    """Decide whether the weights of `now` are those of `layer` with `norm` folded in; None where that
    cannot be computed, because they are not all weights.
    """
    before = [_weight(scope, layer, port) for port in (1, 2)]
    after = [_weight(other, now, port) for port in (1, 2)]
    factors = [_weight(scope, norm, port) for port in range(1, 5)]
    if before[0] is None or after[0] is None or any(each is None for each in factors):
        return None
    if max(before[0].size, after[0].size) > LARGEST or before[0].dims != after[0].dims:
        return None
    try:
        return _is_folded(layer, norm, _numbers(before), _numbers(after), _numbers(factors))
    except ValueError:  # shapes that do not fit each other
        return None


def _is_folded(
    layer: Node,
    norm: Node,
    before: Sequence[np.ndarray],
    after: Sequence[np.ndarray],
    factors: Sequence[np.ndarray],
) -> bool:
    scale, shift, mean, variance = factors
    epsilon = norm.attributes.get("epsilon", EPSILON)
    by = scale / np.sqrt(variance + float(epsilon if isinstance(epsilon, float) else EPSILON))
    weight, bias = before
    axis = OUTPUTS[layer.kind]
    if layer.kind == "Gemm" and layer.attributes.get("transB", 0):
        axis = 0
    shape = [1] * np.ndim(weight)
    shape[axis] = -1
    wanted = weight * by.reshape(shape)
    offset = (bias - mean) * by + shift
    terms = np.abs(bias) + np.abs(mean)
    room = NEAR * (np.abs(by) * terms + np.abs(shift))
    return bool(
        (np.abs(after[0] - wanted) <= NEAR * np.abs(wanted)).all()
        and (np.abs(after[1] - offset) <= room).all()
    )


def _weight(scope: Scope, node: Node, port: int) -> Weight | None:
    if port >= len(node.inputs) or node.inputs[port].kind != "weight":
        return None
    return scope.weights[node.inputs[port].at]


def _numbers(weights: Sequence[Weight | None]) -> list[np.ndarray]:
    """The numbers of each; one 0 for a weight that is left out."""
    return [np.zeros(1) if each is None else each.array().astype(np.float64) for each in weights]

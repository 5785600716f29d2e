"""What the graphs of the exercise `layernorm` are put together of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from formatlab.models.sketch import Sketch

AFFINE = ("none", "scale", "scale and bias")


def vector(s: Sketch, x: str, around: float = 0.0, as_node: bool = False) -> str:
    """A constant with one number for each of x's columns."""
    return s.constant((around + 0.5 * s.rng.normal(size=s.width[x])).astype(np.float32), as_node)


def fused(
    s: Sketch,
    x: str,
    output: str | None = None,
    *,
    bias: bool = True,
    statistics: Iterable[str] = (),
    axis: int | None = None,
) -> str:
    """The operator LayerNormalization; `statistics` are names for its outputs Mean and InvStdDev.
    Without an `axis`, that is -1, written or not.
    """
    inputs = [x, vector(s, x, 1.0)] + ([vector(s, x)] if bias else [])
    attributes: dict[str, Any] = [{}, {"axis": -1}][int(s.rng.integers(2))]
    attributes |= {} if axis is None else {"axis": axis}
    attributes |= {} if s.rng.random() < 0.3 else {"epsilon": 1e-5}
    name = s.node("LayerNormalization", inputs, [output or s.name(), *statistics], **attributes)
    return s.like(x, name)


def mean(s: Sketch, x: str, axes: list[int]) -> str:
    """ReduceMean over `axes`, which are an attribute up to opset 17 and an input from 18 on."""
    keep: dict[str, Any] = {} if s.rng.random() < 0.5 else {"keepdims": 1}
    if s.opset < 18:
        return s.node("ReduceMean", [x], axes=axes, **keep)
    return s.node("ReduceMean", [x, s.constant(np.array(axes))], **keep)


def constant_last(s: Sketch, op: str, value: str, constant: str, output: str | None = None) -> str:
    """A node of a value and a constant, in the usual order."""
    return s.node(op, [value, constant], output)


def constant_first(s: Sketch, op: str, value: str, constant: str, output: str | None = None) -> str:
    """The same with its inputs changed over."""
    return s.node(op, [constant, value], output)


def last_axis(s: Sketch) -> list[int]:
    """The last axis, from the end or from the front."""
    return [-1] if s.rng.random() < 0.5 else [len(s.lead)]


def square(s: Sketch, d: str, op: str = "Pow") -> str:
    if op == "Mul":
        return s.node("Mul", [d, d])
    return s.node("Pow", [d, s.constant(np.array(2, np.float32))])


def root(
    s: Sketch, variance: str, epsilon: str | None = None, pair: Callable[..., str] = constant_last
) -> str:
    """Sqrt(variance + epsilon)."""
    epsilon = epsilon or s.constant(np.array(1e-5, np.float32))
    return s.node("Sqrt", [pair(s, "Add", variance, epsilon)])


def centred(s: Sketch, x: str, axes: list[int]) -> str:
    return s.node("Sub", [x, mean(s, x, axes)])


def normalised(
    s: Sketch,
    x: str,
    axes: list[int] | None = None,
    output: str | None = None,
    *,
    op: str = "Pow",
    pair: Callable[..., str] = constant_last,
) -> str:
    """(x - mean) / sqrt(variance + epsilon), node by node."""
    axes = last_axis(s) if axes is None else axes
    d = centred(s, x, axes)
    deviation = root(s, mean(s, square(s, d, op), axes), pair=pair)
    return s.like(x, s.node("Div", [d, deviation], output))


def decomposed(
    s: Sketch,
    x: str,
    output: str | None = None,
    affine: str = "none",
    *,
    op: str = "Pow",
    axes: list[int] | None = None,
    pair: Callable[..., str] = constant_last,
) -> str:
    """A LayerNorm node by node, over the last axis: one of AFFINE, with a Pow or a Mul as its square.
    `pair` makes a node of a value and a constant. What is not told is in its plainest form, so that
    a case holds no other difficulty than its own.
    """
    if affine == "none":
        return normalised(s, x, axes, output, op=op, pair=pair)
    y = normalised(s, x, axes, op=op, pair=pair)
    y = pair(s, "Mul", y, vector(s, x, 1.0), output if affine == "scale" else None)
    if affine == "scale and bias":
        y = pair(s, "Add", y, vector(s, x), output)
    return s.like(x, y)


def bend(s: Sketch, x: str) -> str:
    """An activation that does not cancel against x."""
    return s.like(x, s.node(str(s.rng.choice(["Tanh", "Elu", "Sigmoid"])), [x]))


def norm(s: Sketch, x: str, output: str | None = None, *, is_fused: bool = False) -> str:
    """A LayerNorm in its plainest form: node by node, or as an operator where the opset has it."""
    if is_fused and s.opset >= 17:
        return fused(s, x, output)
    return decomposed(s, x, output)


def trunk(s: Sketch) -> str:
    """A graph input, some steps, a LayerNorm, a step. After a Neg, the next LayerNorm would have the
    same result without the first one.
    """
    return s.unary(norm(s, s.steps(s.input())), without="Neg")


# The shapes of inputs that the model does not tell, by the input's name and for each run.
Shapes = dict[str, list[list[int]]]
Build = Callable[[Sketch], Shapes | None]

"""What the graphs of the exercise `gemm` are put together of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formatlab.models.sketch import Sketch

Shapes = dict[str, list[list[int]]]


def weight(s: Sketch, *shape: int, as_node: bool = False, dtype: type = np.float32) -> str:
    """A constant of that shape, with the spread of a trained layer's."""
    values = s.rng.normal(size=shape) / np.sqrt(shape[0] if shape else 1)
    return s.constant(np.asarray(values, dtype), as_node)


def product(s: Sketch, x: str, width: int | None = None, as_node: bool = False) -> str:
    """MatMul(x, a constant)."""
    width = int(s.rng.integers(3, 9)) if width is None else width
    h = s.node("MatMul", [x, weight(s, s.width[x], width, as_node=as_node)])
    s.width[h] = width
    return h


def plus(s: Sketch, h: str, bias: str, *, bias_first: bool = False) -> str:
    """Add(h, bias), or Add(bias, h)."""
    return s.like(h, s.node("Add", [bias, h] if bias_first else [h, bias]))


def linear(s: Sketch, x: str, *, bias_first: bool = False) -> str:
    """A pair that may be fused in its usual form: a bias of one dimension, the product first unless
    told.
    """
    h = product(s, x)
    return plus(s, h, weight(s, s.width[h]), bias_first=bias_first)


def steps(s: Sketch, x: str) -> str:
    for _ in range(s.rng.integers(1, 3)):
        x = s.unary(x)
    return x


def trunk(s: Sketch) -> str:
    """A graph input, a pair that may be fused, and what comes behind it."""
    return steps(s, linear(s, s.input()))


Build = Callable[[Sketch], Shapes | None]


def in_turn(s: Sketch, *builds: Build) -> Shapes:
    """Several graphs in one, side by side; the shapes of the inputs that they leave open. The names
    of their dimensions are other ones, or stand for the same numbers.
    """
    shapes: Shapes = {}
    for build in builds:
        s.lead = ("batch",)
        shapes |= build(s) or {}
    return shapes

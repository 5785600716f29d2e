"""A float32 graph under construction, for a model to convert."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import ModelProto

from formatlab.models.sketch import Sketch

ROWS = 4
SMALLEST_NORMAL = 2.0**-14  # of float16


class Float32Sketch(Sketch):
    """A float32 graph of opset 18 to 20 whose values stay near 1, so that float16 holds them all."""

    def __init__(self, rng: np.random.Generator, opset: int | None = None):
        super().__init__(
            rng, int(rng.integers(18, 21)) if opset is None else opset, lead=("batch", ROWS)
        )
        self.inferred = False

    def finished(self) -> ModelProto:
        """The model; with the types of all values written down if `inferred` was set."""
        model = self.model()
        return onnx.shape_inference.infer_shapes(model) if self.inferred else model

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """Draw normally distributed numbers of the given scale, float32 of that shape. None is
        subnormal in float16: one drawn by chance would cost whoever flushes these a case that is
        about something else.
        """
        drawn = scale * self.rng.normal(size=shape)
        return np.copysign(np.maximum(np.abs(drawn), SMALLEST_NORMAL), drawn).astype(np.float32)

    def weight(self, *shape: int, scale: float = 1.0, as_node: bool = False) -> str:
        """A constant of numbers as `normal` draws them."""
        return self.constant(self.normal(*shape, scale=scale), as_node)

    def number(self, value: float, as_node: bool = False) -> str:
        return self.constant(np.array(value, np.float32), as_node)

    def linear(self, x: str, output: str | None = None, width: int = 0) -> str:
        """x @ weight + bias, to `width` or a drawn one; the weights are small enough that the
        numbers do not grow.
        """
        width = width or int(self.rng.integers(3, 9))
        product = self.node(
            "MatMul", [x, self.weight(self.width[x], width, scale=self.width[x] ** -0.5)]
        )
        self.width[product] = width
        return self.like(product, self.node("Add", [product, self.weight(width)], output))

    def apply(self, op: str, x: str, *others: str, output: str | None = None, **attributes) -> str:
        """A node that keeps the width of x."""
        return self.like(x, self.node(op, [x, *others], output, **attributes))

    def causal(self) -> str:
        """True where a row may look at a column: a constant of [ROWS, ROWS]."""
        return self.constant(np.tril(np.ones((ROWS, ROWS), bool)))

    def scores(self, x: str) -> tuple[str, str]:
        """Queries times keys, [batch, ROWS, ROWS], and the values that the scores weigh."""
        width = int(self.rng.integers(3, 9))
        query, key, value = self.linear(x, width=width), self.linear(x, width=width), self.linear(x)
        turned = self.node("Transpose", [key], perm=[0, 2, 1])
        return self.node("MatMul", [query, turned]), value

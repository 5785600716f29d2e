"""Graphs under construction: `Float32Sketch` for models to convert, `Float16Sketch` for float16
models, which bring their feeds.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper

from workbench.models.sketch import Sketch, batch_value

ROWS = 4


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

    def weight(self, *shape: int, scale: float = 1.0, as_node: bool = False) -> str:
        """Normal numbers of the given scale."""
        return self.constant((scale * self.rng.normal(size=shape)).astype(np.float32), as_node)

    def number(self, value: float, as_node: bool = False) -> str:
        return self.constant(np.float32(value), as_node)

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


class Float16Sketch(Sketch):
    """A float16 graph. `feeds` holds an array for each input; `inputs` may be float32, with a Cast
    behind it.
    """

    def __init__(self, rng: np.random.Generator):
        super().__init__(rng, int(rng.integers(18, 21)), lead=("batch", ROWS))
        self.feeds: dict[str, np.ndarray] = {}

    def feed(
        self, low: float, high: float, width: int = 4, wide: bool | None = None, rows: int = 2
    ) -> str:
        """An input with numbers between low and high. `wide`: a float32 input and the Cast that
        makes float16 of it.
        """
        name = self.name("x", "tokens", "image")
        wide = bool(self.rng.random() < 0.5) if wide is None else wide
        kind = TensorProto.FLOAT if wide else TensorProto.FLOAT16
        self.inputs.append(batch_value(name, width, kind, self.lead))
        values = self.rng.uniform(low, high, (rows, ROWS, width))
        self.feeds[name] = values.astype(np.float32 if wide else np.float16)
        return self.node("Cast", [name], to=TensorProto.FLOAT16) if wide else name

    def unsorted(self, count: int) -> list[str]:
        """Names for values in the order of their nodes, which for no seed is that of the alphabet."""
        return sorted((self.name() for _ in range(count)), reverse=True)

    def half(self, values, as_node: bool = False) -> str:
        with np.errstate(over="ignore"):
            return self.constant(np.asarray(values).astype(np.float16), as_node)

    def smooth(self, x: str, most: int = 2) -> str:
        """Up to `most` steps that keep numbers positive and below 2."""
        for _ in range(self.rng.integers(0, most + 1)):
            x = self.node(str(self.rng.choice(["Sigmoid", "Tanh"])), [x])
        return x

    def identity(self, x: str, most: int = 2) -> str:
        """Up to `most` steps that change nothing of positive numbers."""
        for _ in range(self.rng.integers(0, most + 1)):
            x = self.node(str(self.rng.choice(["Relu", "Abs", "Identity"])), [x])
        return x

    def result(self, x: str, *shape: int | str) -> None:
        """x as an output of the graph, float32 or float16."""
        if self.rng.random() < 0.5:
            x = self.node("Cast", [x], to=TensorProto.FLOAT)
            kind = TensorProto.FLOAT
        else:
            kind = TensorProto.FLOAT16
        self.outputs.append(
            helper.make_tensor_value_info(x, kind, list(shape) or ["batch", ROWS, "width"])
        )

"""A float16 graph under construction, which brings its feeds."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from formatlab.models.sketch import Sketch, batch_value

ROWS = 4


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

    def steady(self, x: str, dtype: type = np.float16) -> str:
        """A product and a quotient that change nothing, so that no operator tells what overflows."""
        for operator in self.rng.permutation(["Mul", "Div"]):
            one = self.constant(np.array(1, dtype))
            x = self.identity(self.node(str(operator), [x, one]))
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

"""A small graph under construction, with names and sizes drawn from a seed: what healthy models are
made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, ValueInfoProto

from formatlab.models import make_model
from formatlab.models.builder import Builder

ACTIVATIONS = ("Relu", "Tanh", "Sigmoid", "Elu", "Softplus", "LeakyRelu")
WORDS = ("hidden", "act", "state", "feat", "mix", "proj", "gate", "node")
PARTS = ("encoder", "head", "trunk", "block", "stem", "fc")


class Net(Builder):
    """Nodes and initializers of one float32 graph. Opset 18 to 20, IR version 9 or 10, one of three
    styles of names, all drawn.
    """

    def __init__(self, rng: np.random.Generator, opset: int | None = None):
        super().__init__()
        self.rng = rng
        self.opset = int(rng.integers(18, 21)) if opset is None else opset
        self.ir_version = int(rng.integers(9, 11))
        self._style = int(rng.integers(3))
        self._taken: set[str] = set()

    def name(self, hint: str, *words: str) -> str:
        """A name that nothing else in the model has: `act_412`, `/block.3/Relu_output_0` or `t17`."""
        while True:
            number = int(self.rng.integers(1000))
            styles = (
                f"{self.rng.choice(words or WORDS)}_{number}",
                f"/{self.rng.choice(PARTS)}.{number}/{hint}_output_0",
                f"t{number}",
            )
            if styles[self._style] not in self._taken:
                self._taken.add(styles[self._style])
                return styles[self._style]

    def node(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Append a node with one output; the output's name."""
        return self.append(op, inputs, [self.name(op)], domain=domain, **attributes)

    def initializer(self, array: np.ndarray) -> str:
        return self.store(array, self.name("weight", "weight", "param", "const"))

    def weight(self, *shape: int, scale: float = 1.0) -> str:
        """A weight whose products keep the size of what they multiply."""
        fan_in = int(np.prod(shape[:-1])) if len(shape) < 4 else int(np.prod(shape[1:]))
        return self.initializer(
            (self.rng.normal(size=shape) * scale / np.sqrt(fan_in)).astype(np.float32)
        )

    def bias(self, width: int) -> str:
        return self.initializer(self.rng.normal(size=width).astype(np.float32))

    def linear(self, x: str, rows: int, columns: int) -> str:
        return self.node(
            "Add", self.node("MatMul", x, self.weight(rows, columns)), self.bias(columns)
        )

    def activation(self, x: str, *choices: str) -> str:
        return self.node(str(self.rng.choice(choices or ACTIVATIONS)), x)

    def model(
        self, inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto], **options: Any
    ) -> ModelProto:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        return make_model(self.graph(self.name("graph")), self.opset, self.ir_version, **options)

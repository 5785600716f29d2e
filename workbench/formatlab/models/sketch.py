"""Small random graphs drawn from a seed: what the synthetic cases of the graph exercises are made
of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, numpy_helper

from formatlab.models import make_model
from formatlab.models.builder import Builder, value

UNARY = ("Relu", "Tanh", "Sigmoid", "Neg", "Elu", "Softplus", "LeakyRelu", "Selu")
NEVER_NEGATIVE = ("Relu", "Sigmoid", "Softplus")
WORDS = ("hidden", "act", "state", "proj", "out", "tmp", "feat", "mix")


class Sketch(Builder):
    """A graph under construction. Its values are float32 [*lead, width], with a width drawn for
    each.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        opset: int | None = None,
        parent: Sketch | None = None,
        lead: tuple[str | int | None, ...] = ("batch", "steps"),
    ) -> None:
        super().__init__()
        self.rng = rng
        self.lead: tuple[str | int | None, ...] = lead if parent is None else parent.lead
        self.opset = int(rng.integers(13, 21)) if opset is None else opset
        self.width: dict[str, int] = {} if parent is None else parent.width
        self.taken: set[str] = set() if parent is None else parent.taken
        # 1 for values that are nowhere negative, -1 for those that are nowhere positive.
        self.sign: dict[str, int] = {} if parent is None else parent.sign
        # Whether every constant is a Constant node.
        self.as_nodes: bool = parent is not None and parent.as_nodes
        # The graph that holds its constants: itself, or one around it.
        self.home: Sketch = self
        # What value_info says of values between inputs and outputs.
        self.declared: list[ValueInfoProto] = []

    def name(self, *words: str) -> str:
        """A name that nothing else in the model has."""
        while True:
            name = f"{self.rng.choice(words or WORDS)}_{self.rng.integers(1000)}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def node(
        self, op: str, inputs: list[str], output: str | list[str] | None = None, **attributes: Any
    ) -> str:
        """Append a node; the name of its first output. One node in three has no name of its own."""
        outputs = [output or self.name()] if output is None or isinstance(output, str) else output
        label = "" if self.rng.random() < 0.33 else self.name(op.lower())
        return self.append(op, inputs, outputs, name=label, **attributes)

    def constant(self, array: np.ndarray, as_node: bool = False) -> str:
        """A constant, as an initializer or as a Constant node; an initializer in a graph around."""
        name = self.name("weight", "const", "param")
        if self.home is not self or not (as_node or self.as_nodes):
            return self.home.store(array, name)
        return self.node("Constant", [], name, value=numpy_helper.from_array(array, name))

    def input(self, name: str | None = None) -> str:
        name = name or self.name("x", "tokens", "image")
        self.width[name] = int(self.rng.integers(3, 8))
        self.inputs.append(batch_value(name, self.width[name], lead=self.lead))
        return name

    def scalar_input(self, element_type: int, name: str) -> str:
        self.inputs.append(value(name, element_type=element_type))
        return name

    def output(
        self, name: str, element_type: int = TensorProto.FLOAT, width: int | None = None
    ) -> str:
        self.outputs.append(batch_value(name, width or self.width[name], element_type, self.lead))
        return name

    def unary(self, x: str, output: str | None = None, without: str = "") -> str:
        """An activation. No Relu of what is nowhere positive: its zeros would hide every mistake
        before it.
        """
        op = str(self.rng.choice(UNARY))
        sign = self.sign.get(x, 0)
        op = "Neg" if op == "Relu" and sign < 0 else op
        op = "Tanh" if op == without else op
        y = self.like(x, self.node(op, [x], output))
        self.sign[y] = 1 if op in NEVER_NEGATIVE else -sign if op == "Neg" else sign
        return y

    def linear(self, x: str, output: str | None = None) -> str:
        """x @ weight + bias, to a new width."""
        width = int(self.rng.integers(3, 9))
        weight = self.rng.normal(size=(self.width[x], width)).astype(np.float32)
        bias = self.rng.normal(size=width).astype(np.float32)
        product = self.node("MatMul", [x, self.constant(weight)])
        self.width[product] = width
        return self.like(product, self.node("Add", [product, self.constant(bias)], output))

    def step(self, x: str, output: str | None = None) -> str:
        return self.linear(x, output) if self.rng.random() < 0.5 else self.unary(x, output)

    def steps(self, x: str, most: int = 3) -> str:
        """One to `most` steps after x."""
        for _ in range(self.rng.integers(1, most + 1)):
            x = self.step(x)
        return x

    def add(self, x: str, y: str, output: str | None = None) -> str:
        return self.like(x, self.node("Add", [x, y], output))

    def inside(self) -> Sketch:
        """A graph for one of this one's nodes, which sees its values."""
        return Sketch(self.rng, self.opset, self)

    def choose(self, like: str, then_branch: GraphProto, else_branch: GraphProto) -> str:
        """An If on a graph input `flag...`; its output has the width of `like`."""
        flag = self.scalar_input(TensorProto.BOOL, self.name("flag"))
        return self.like(
            like, self.node("If", [flag], then_branch=then_branch, else_branch=else_branch)
        )

    def repeat(self, x: str, trips: str, step: Callable[[Sketch, str], str]) -> str:
        """A Loop that runs `trips` times and carries x through `step(body, carried)`."""
        body = self.inside()
        keep = self.name("keep")
        carried = self.name("carried")
        shape = *self.lead, self.width[x]
        body.inputs = [
            value(self.name("i"), element_type=TensorProto.INT64),
            value(keep, element_type=TensorProto.BOOL),
            value(carried, *shape),
        ]
        self.like(x, carried)
        still = body.node("Identity", [keep])
        body.outputs = [
            value(still, element_type=TensorProto.BOOL),
            value(step(body, carried), *shape),
        ]
        return self.like(x, self.node("Loop", [trips, "", x], body=body.graph(self.name("body"))))

    def model(self) -> ModelProto:
        return make_model(self.graph(self.name("graph"), self.declared), self.opset)

    def like(self, x: str, y: str) -> str:
        """y, noted to have the width of x."""
        self.width[y] = self.width[x]
        return y


def batch_value(
    name: str,
    width: int,
    element_type: int = TensorProto.FLOAT,
    lead: tuple[str | int | None, ...] = ("batch", "steps"),
) -> ValueInfoProto:
    return value(name, *lead, width, element_type=element_type)

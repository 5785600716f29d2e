"""Small random graphs drawn from a seed: what the synthetic cases of the graph exercises are made of."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from workbench.models import make_model

UNARY = ("Relu", "Tanh", "Sigmoid", "Neg", "Elu", "Softplus", "LeakyRelu", "Selu")
WORDS = ("hidden", "act", "state", "proj", "out", "tmp", "feat", "mix")


class Sketch:
    """A graph under construction. Its values are float32 [*lead, width], with a width drawn for each."""

    def __init__(
        self,
        rng: np.random.Generator,
        opset: int | None = None,
        parent: Sketch | None = None,
        lead: tuple[str | int, ...] = ("batch", "steps"),
    ):
        self.rng = rng
        self.lead = lead if parent is None else parent.lead
        self.opset = int(rng.integers(13, 21)) if opset is None else opset
        self.nodes: list[NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.weights: list[TensorProto] = []
        self.width: dict[str, int] = {} if parent is None else parent.width
        self.taken: set[str] = set() if parent is None else parent.taken

    def name(self, *words: str) -> str:
        """A name that nothing else in the model has."""
        while True:
            name = f"{self.rng.choice(words or WORDS)}_{self.rng.integers(1000)}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def node(self, op: str, inputs: list[str], output: str | list[str] | None = None, **attributes) -> str:
        """Append a node; the name of its first output. One node in three has no name of its own."""
        outputs = [output or self.name()] if output is None or isinstance(output, str) else output
        label = "" if self.rng.random() < 0.33 else self.name(op.lower())
        self.nodes.append(helper.make_node(op, inputs, outputs, name=label, **attributes))
        return outputs[0]

    def constant(self, value: np.ndarray, as_node: bool = False) -> str:
        """A constant, as an initializer or as a Constant node."""
        tensor = numpy_helper.from_array(value, self.name("weight", "const", "param"))
        if as_node:
            return self.node("Constant", [], tensor.name, value=tensor)
        self.weights.append(tensor)
        return tensor.name

    def input(self, name: str | None = None) -> str:
        name = name or self.name("x", "tokens", "image")
        self.width[name] = int(self.rng.integers(3, 8))
        self.inputs.append(batch_value(name, self.width[name], lead=self.lead))
        return name

    def scalar_input(self, element_type: int, name: str) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, element_type, []))
        return name

    def output(self, name: str, element_type: int = TensorProto.FLOAT, width: int | None = None) -> str:
        self.outputs.append(batch_value(name, width or self.width[name], element_type, self.lead))
        return name

    def unary(self, x: str, output: str | None = None) -> str:
        return self.like(x, self.node(str(self.rng.choice(UNARY)), [x], output))

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

    def graph(self, name: str) -> GraphProto:
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.weights)

    def model(self) -> ModelProto:
        return make_model(self.graph(self.name("graph")), self.opset)

    def like(self, x: str, y: str) -> str:
        """y, noted to have the width of x."""
        self.width[y] = self.width[x]
        return y


def batch_value(
    name: str, width: int, element_type: int = TensorProto.FLOAT, lead: tuple[str | int, ...] = ("batch", "steps")
) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element_type, [*lead, width])

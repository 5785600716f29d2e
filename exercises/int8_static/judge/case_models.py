"""The CNNs of the exercise `int8_static`: random weights, a structure that varies, and in one kind
channels of very different ranges.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto, numpy_helper

from formatlab.models import make_model
from formatlab.models.builder import Builder, value

# Links between layers through which a channel's factor passes: each of these commutes with a
# positive factor.
SCALABLE = ("Relu", "LeakyRelu", "MaxPool", "AveragePool")


class Network(Builder):
    """A CNN under construction: NCHW values, whose channels and sizes are noted; He-scaled weights,
    so that ranges stay alike.
    """

    def __init__(self, rng: np.random.Generator, decades: float):
        super().__init__()
        self.rng, self.decades = rng, decades
        self.shape: dict[str, tuple[int, ...]] = {}
        self.factor: dict[str, np.ndarray] = {}
        self.opset = int(rng.integers(13, 21))

    def model(self) -> ModelProto:
        return make_model(self.graph("cnn"), self.opset)

    def input(self, channels: int, height: int, width: int) -> str:
        name = f"{self.rng.choice(['image', 'pixels', 'frame', 'x'])}_{len(self.inputs)}"
        self.inputs.append(value(name, "batch", channels, height, width))
        self.shape[name] = (channels, height, width)
        return name

    def output(self, name: str) -> None:
        self.outputs.append(value(name, "batch", *self.shape[name]))

    def conv(
        self,
        x: str,
        channels: int,
        kernel: tuple[int, int] = (3, 3),
        *,
        stride: int = 1,
        group: int = 1,
        scale: bool = False,
        shared: str = "",
    ) -> str:
        """A convolution with a bias, padded to keep the size; with `scale` its channels get
        factors, undone by the layer behind it. `shared` is a weight that another one reads too.
        """
        before, height, width = self.shape[x]
        weight = self._normal(
            (channels, before // group, *kernel), before // group * kernel[0] * kernel[1]
        )
        weight = self._undone(x, weight, group)
        bias = self.rng.normal(size=channels) * 0.1
        pads = [kernel[0] // 2, kernel[1] // 2] * 2
        y = self._add(
            "Conv",
            [x, shared or self._weight(weight), ""],
            kernel_shape=kernel,
            pads=pads,
            strides=[stride] * 2,
            group=group,
        )
        self.shape[y] = (channels, -(-height // stride), -(-width // stride))
        if scale:
            self._scale(y, weight, bias)
        self.nodes[-1].input[2] = self._weight(bias)
        return y

    def _scale(self, y: str, weight: np.ndarray, bias: np.ndarray) -> None:
        """Give the channels of a convolution factors."""
        decades = np.linspace(-self.decades, self.decades, len(bias))
        self.factor[y] = 10 ** self.rng.permutation(decades)
        weight *= self.factor[y].reshape(-1, 1, 1, 1)
        bias *= self.factor[y]
        scaled = numpy_helper.from_array(weight.astype(np.float32), self.weights[-1].name)
        self.weights[-1].CopyFrom(scaled)

    def depthwise(self, x: str, stride: int = 1) -> str:
        return self.conv(x, self.shape[x][0], stride=stride, group=self.shape[x][0])

    def unary(self, operator: str, x: str, **attributes) -> str:
        y = self._add(operator, [x], **attributes)
        self.shape[y] = self.shape[x]
        return self._pass_on(operator, x, y)

    def pool(self, operator: str, x: str) -> str:
        y = self._add(operator, [x], kernel_shape=[2, 2], strides=[2, 2])
        channels, height, width = self.shape[x]
        self.shape[y] = (channels, height // 2, width // 2)
        return self._pass_on(operator, x, y)

    def add(self, x: str, y: str) -> str:
        z = self._add("Add", [x, y])
        self.shape[z] = self.shape[x]
        return z

    def concat(self, *values: str) -> str:
        y = self._add("Concat", list(values), axis=1)
        self.shape[y] = (sum(self.shape[each][0] for each in values), *self.shape[values[0]][1:])
        return y

    def vector(self, x: str, mean: bool) -> str:
        """NCHW to rows: the means of the channels, or all the numbers."""
        channels, height, width = self.shape[x]
        y = self._add("Flatten", [self._add("GlobalAveragePool", [x]) if mean else x], axis=1)
        self.shape[y] = (channels,) if mean else (channels * height * width,)
        return y

    def linear(self, x: str, width: int) -> str:
        """A Gemm with a bias, transposed or not, or a MatMul."""
        [before] = self.shape[x]
        weight, form = self._normal((before, width), before), int(self.rng.integers(3))
        if form == 2:
            y = self._add("MatMul", [x, self._weight(weight)])
        else:
            bias = self._weight(self.rng.normal(size=width) * 0.1)
            y = self._add(
                "Gemm", [x, self._weight(weight.T if form else weight), bias], transB=form
            )
        self.shape[y] = (width,)
        return y

    def _add(self, operator: str, inputs: list[str], **attributes) -> str:
        number = len(self.nodes)
        outputs = [f"{operator.lower()}_{number}"]
        return self.append(operator, inputs, outputs, name=f"n{number}", **attributes)

    def _weight(self, array: np.ndarray) -> str:
        return self.store(np.ascontiguousarray(array, np.float32), f"w{len(self.weights)}")

    def _normal(self, shape: tuple[int, ...], fan_in: int) -> np.ndarray:
        return self.rng.normal(size=shape) * np.sqrt(2 / fan_in)

    def _pass_on(self, operator: str, x: str, y: str) -> str:
        if operator in SCALABLE and x in self.factor:
            self.factor[y] = self.factor[x]
        return y

    def _undone(self, x: str, weight: np.ndarray, group: int) -> np.ndarray:
        """The weight that reads x, with the factors of x's channels taken out again."""
        if x not in self.factor:
            return weight
        factor = self.factor[x]
        return weight / (factor.reshape(-1, 1, 1, 1) if group > 1 else factor.reshape(1, -1, 1, 1))


def _residual(n: Network) -> None:
    """Two branches that are added, which belong to different ranges."""
    x = n.unary("Relu", n.conv(n.input(2, 9, 12), 32))
    for _ in range(n.rng.integers(1, 3)):
        inner = n.unary("Relu", n.conv(x, 40))
        x = n.unary("Relu", n.add(x, n.conv(inner, 32)))
    n.output(n.linear(n.vector(x, mean=bool(n.rng.integers(2))), 10))


def _depthwise(n: Network) -> None:
    """Depthwise and pointwise convolutions: a channel is a layer of its own, with few weights."""
    x = n.unary("Relu", n.conv(n.input(3, 14, 11), 32, stride=2))
    for width in (64, 96, 96)[: n.rng.integers(2, 4)]:
        x = n.unary("Relu", n.depthwise(x))
        x = n.unary("Relu", n.conv(x, width, kernel=(1, 1)))
    n.output(n.linear(n.vector(x, mean=False), 8))


def _pooled(n: Network) -> None:
    """Activations with negative values, average pooling, two linear layers."""
    x = n.unary("LeakyRelu", n.conv(n.input(1, 13, 10), 24, kernel=(3, 5)), alpha=0.2)
    x = n.pool("AveragePool", x)
    x = n.unary(
        str(n.rng.choice(["HardSwish", "Tanh"])) if n.opset >= 14 else "Tanh", n.conv(x, 40)
    )
    x = n.unary("Relu", n.linear(n.vector(x, mean=False), 32))
    n.output(n.linear(x, 6))


def _two_inputs(n: Network) -> None:
    """Two inputs of different ranges that go through one weight, and two outputs."""
    first = n.unary("Relu", n.conv(n.input(3, 8, 10), 24))
    shared = n.nodes[0].input[1]
    second = n.unary("Relu", n.conv(n.input(3, 8, 10), 24, shared=shared))
    x = n.unary("Relu", n.conv(n.concat(first, second), 48, stride=2))
    rows = n.vector(x, mean=False)
    n.output(n.linear(rows, 10))
    n.output(n.linear(rows, 3))


def _rescaled(n: Network) -> None:
    """Channels of very different ranges: the factors of each layer are undone in the next."""
    x = n.input(3, 12, 10)
    for width in (24, 32, 32)[: n.rng.integers(2, 4)]:
        x = n.unary("Relu", n.conv(x, width, scale=True))
    x = n.unary("Relu", n.conv(n.pool("MaxPool", x), 32))
    n.output(n.linear(n.vector(x, mean=False), 12))


KINDS: dict[str, Callable[[Network], None]] = {
    "residual": _residual,
    "depthwise": _depthwise,
    "pooled": _pooled,
    "two-inputs": _two_inputs,
    "rescaled": _rescaled,
}


def build(kind: str, rng: np.random.Generator, decades: float) -> ModelProto:
    """The network of that kind. `decades` is d where factors of channels are drawn from 10^-d to
    10^d.
    """
    network = Network(rng, decades)
    KINDS[kind](network)
    return network.model()

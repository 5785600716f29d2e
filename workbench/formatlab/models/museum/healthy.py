"""Healthy models of several families: classifiers that pass every rung of the ladder, and the runs
that prove it.

All of them begin with a float32 input whose first dimension is `batch`, hold a square weight, and
end with `MatMul(h, W)`, `Add(…, b)`: logits, one column a class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser, shape_inference

from formatlab import graphs
from formatlab.models.builder import value
from formatlab.models.museum.net import Net


@dataclass(frozen=True)
class Healthy:
    """A model, and how large its input is after the batch dimension (a name stands for 2 to 6)."""

    model: ModelProto
    dims: tuple[int | str, ...]


Family = Callable[[np.random.Generator], Healthy]
NARROW = (TensorProto.FLOAT, TensorProto.FLOAT16)


def tabular(
    rng: np.random.Generator,
    opset: int | None = None,
    body: Callable[[Net, str, int], str] | None = None,
) -> Healthy:
    """logits = act(… act(x · W + b) …) · W + b, a residual now and then; `body` adds nodes."""
    net = Net(rng, opset)
    width = int(rng.integers(3, 8))
    hidden = int(rng.integers(5, 10))
    x = net.name("input", "x", "row", "features")
    h = net.activation(net.linear(x, width, hidden))
    for _ in range(rng.integers(1, 3)):
        step = net.activation(_square(net, h, hidden))
        h = net.node("Add", h, step) if rng.random() < 0.4 else step
    h = body(net, h, hidden) if body else h
    return _classifier(net, x, h, hidden, (width,))


def tokens(rng: np.random.Generator, opset: int | None = None) -> Healthy:
    """A transformer's feed-forward block on [batch, steps, width]: LayerNormalization(h + act(h · W
    + b)).
    """
    net = Net(rng, opset)
    width = int(rng.integers(3, 8))
    hidden = int(rng.integers(5, 10))
    x = net.name("input", "tokens", "sequence", "states")
    h = net.linear(x, width, hidden)
    mixed = net.activation(net.linear(h, hidden, hidden))
    scale = net.initializer((1 + net.rng.random(hidden)).astype(np.float32))
    h = net.node("LayerNormalization", net.node("Add", h, mixed), scale, net.bias(hidden), axis=-1)
    return _classifier(net, x, h, hidden, ("steps", width))


def image(rng: np.random.Generator, opset: int | None = None) -> Healthy:
    """A convolution, a global average, and a square layer behind it, on [batch, channels, height,
    width].
    """
    net = Net(rng, opset)
    channels = int(rng.integers(1, 4))
    hidden = int(rng.integers(5, 8))
    height, width = (int(n) for n in rng.integers(5, 9, 2))
    x = net.name("input", "image", "pixels", "photo")
    stride, pad = (int(n) for n in rng.integers(1, 3, 2))
    h = net.node(
        "Conv",
        x,
        net.weight(hidden, channels, 3, 3, scale=2.0),
        net.bias(hidden),
        strides=[stride] * 2,
        pads=[pad] * 4,
    )
    h = net.node("Flatten", net.node("GlobalAveragePool", net.activation(h)))
    h = net.activation(net.linear(h, hidden, hidden))
    return _classifier(net, x, h, hidden, (channels, height, width))


def branches(rng: np.random.Generator, opset: int | None = None) -> Healthy:
    """Large batches go through one branch of an If, small ones through the other; both read a name
    from outside.
    """

    def choose(net: Net, h: str, hidden: int) -> str:
        zero = net.initializer(np.array(0))
        most = net.initializer(np.array(int(net.rng.integers(4, 8))))
        large = net.node("Greater", net.node("Gather", net.node("Shape", h), zero, axis=0), most)
        graphs = []
        for attribute in ("then_branch", "else_branch"):
            inner = net.name("inner")
            result = net.name("result")
            first, second = net.rng.choice(("Tanh", "Neg", "Softplus", "Abs"), 2, replace=False)
            nodes = [
                helper.make_node(str(first), [h], [inner]),
                helper.make_node(str(second), [inner], [result]),
            ]
            graphs.append(
                (
                    attribute,
                    helper.make_graph(nodes, attribute, [], [value(result, "batch", hidden)]),
                )
            )
        return net.node("If", large, **dict(graphs))

    return tabular(rng, opset, choose)


def with_function(rng: np.random.Generator) -> Healthy:
    """An operator of a domain that nobody knows, which the model itself defines."""

    def call(net: Net, h: str, _hidden: int) -> str:
        return net.node("Shifted", h, domain="lab.ops")

    healthy = tabular(rng, body=call)
    opset = healthy.model.opset_import[0].version
    shifted = f'<domain: "lab.ops", opset_import: ["" : {opset}]> Shifted (v) => (o) {{ s = Mul(v, v) r = Sub(s, v) o = Tanh(r) }}'
    healthy.model.functions.append(parser.parse_function(shifted))
    healthy.model.opset_import.insert(0, helper.make_opsetid("lab.ops", 1))
    return healthy


def with_idle_dropout(rng: np.random.Generator) -> Healthy:
    """A Dropout that is switched off: the identity."""

    def drop(net: Net, h: str, _hidden: int) -> str:
        ratio = net.initializer(np.array(0.5, np.float32))
        training = net.initializer(np.array(False))
        return net.node("Dropout", h, ratio, training)

    return tabular(rng, body=drop)


def quantized(rng: np.random.Generator) -> Healthy:
    """The input of a layer goes through uint8 or int8 and back."""

    def through_integers(net: Net, h: str, _hidden: int) -> str:
        kind = (np.uint8, np.int8)[int(net.rng.choice(2))]
        scale = net.initializer(np.array(1 / 32, np.float32))
        zero = net.initializer(np.array(128 if kind is np.uint8 else 0, kind))
        bounded = net.node("Tanh", h)
        return net.node(
            "DequantizeLinear", net.node("QuantizeLinear", bounded, scale, zero), scale, zero
        )

    # The reference evaluator has these operators from opset 19 on.
    return tabular(rng, int(rng.integers(19, 21)), through_integers)


def counted(rng: np.random.Generator) -> Healthy:
    """A product of integers in the middle."""

    def integers(net: Net, h: str, hidden: int) -> str:
        whole = net.node(
            "Cast",
            net.node("Round", net.node("Mul", h, net.initializer(np.array(4, np.float32)))),
            to=TensorProto.INT32,
        )
        weight = net.initializer(net.rng.integers(-3, 4, (hidden, hidden)).astype(np.int32))
        product = net.node("Cast", net.node("MatMul", whole, weight), to=TensorProto.FLOAT)
        return net.node(
            "Tanh", net.node("Mul", product, net.initializer(np.array(1 / 16, np.float32)))
        )

    return tabular(rng, body=integers)


def computed_reshape(rng: np.random.Generator) -> Healthy:
    """A Reshape to a shape that the graph computes from its input's: [batch] and a constant put
    together.
    """

    def reshape(net: Net, h: str, hidden: int) -> str:
        batch = net.node("Gather", net.node("Shape", h), net.initializer(np.array([0])), axis=0)
        width = net.initializer(np.array([hidden]))
        return net.activation(net.node("Reshape", h, net.node("Concat", batch, width, axis=0)))

    return tabular(rng, body=reshape)


def half(rng: np.random.Generator) -> Healthy:
    """A net whose middle is computed in float16."""

    def in_half(net: Net, h: str, hidden: int) -> str:
        weight = net.initializer(
            (net.rng.normal(size=(hidden, hidden)) / np.sqrt(hidden)).astype(np.float16)
        )
        low = net.node(
            "MatMul", net.node("Cast", net.node("Tanh", h), to=TensorProto.FLOAT16), weight
        )
        return net.node("Cast", low, to=TensorProto.FLOAT)

    return tabular(rng, body=in_half)


PLAIN: tuple[Family, ...] = (tabular, tokens, image)
ALL: tuple[Family, ...] = (
    *PLAIN,
    branches,
    with_function,
    with_idle_dropout,
    quantized,
    counted,
    computed_reshape,
    half,
)


def _square(net: Net, h: str, hidden: int) -> str:
    """h · W + b with a square W, as MatMul and Add or as one Gemm."""
    if net.rng.random() < 0.5:
        return net.linear(h, hidden, hidden)
    return net.node(
        "Gemm", h, net.weight(hidden, hidden), net.bias(hidden), transB=int(net.rng.integers(2))
    )


def _classifier(net: Net, x: str, h: str, hidden: int, dims: tuple[int | str, ...]) -> Healthy:
    count = int(net.rng.integers(3, 7))
    logits = net.linear(h, hidden, count)
    leading = ("batch", "steps") if dims[0] == "steps" else ("batch",)
    model = net.model([value(x, "batch", *dims)], [value(logits, *leading, count)])
    # Some exporters write the shapes of inner values into the file. Those of a function's call are
    # not known before it is defined.
    if net.rng.random() < 0.5 and not any(node.domain for node in net.nodes):
        model = shape_inference.infer_shapes(model, strict_mode=True)
    return Healthy(model, dims)


def as_float64(model: ModelProto) -> ModelProto:
    """The model with float64 where it has float32 or float16, to compute what its outputs should be:
    rounded to float32 they are the same numbers on every processor, in whatever order it adds.
    """
    wide = ModelProto()
    wide.CopyFrom(model)
    for tensor in list(graphs.tensors(wide)):
        if tensor.data_type in NARROW:
            values = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for node in graphs.nodes(wide):
        for attribute in node.attribute:  # a Cast's type, the one in which LayerNormalization adds
            if attribute.name in ("to", "stash_type") and attribute.i in NARROW:
                attribute.i = TensorProto.DOUBLE
    return wide

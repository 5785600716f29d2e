"""Small BERTs with random weights, made of plain nodes: the models of the exercise `int8_dynamic`
besides MiniLM.

Each has one difficulty of a real export. All of them are large
enough for their weights to be most of the file, and their attention is sharp: a query or key that
is lost to a coarse step changes what a token looks at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from formatlab.models import make_model
from formatlab.models.builder import Builder, value

IDS, MASK = "input_ids", "attention_mask"
LONGEST = 48
WORDS = 1500, 2000
# Attention logits of a few units: neither uniform nor one-hot.
SHARPNESS = 1.6


class Encoder(Builder):
    """A BERT under construction: `hidden` wide, in `heads` heads; `spread` is how many decades its
    keys' and queries' channels differ. Where it is written `otherwise`, shapes and axes are in
    Constant nodes, a bias may come first in its Add, and nothing reads a buffer of positions.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        layers: int,
        spread: float = 0.0,
        otherwise: bool = False,
    ):
        super().__init__()
        self.rng, self.layers, self.spread = rng, layers, spread
        self.otherwise = otherwise
        # Of a generator of its own: the weights do not depend on how the model is written.
        self.spelling = rng.spawn(1)[0]
        self.heads = int(rng.choice([4, 6]))
        self.hidden = self.heads * int(rng.choice([24, 32]))
        self.wide = self.hidden * int(rng.choice([2, 3]))
        self.words = int(rng.integers(*WORDS))
        self.outputs.append(value("last_hidden_state", "batch", "sequence", self.hidden))

    def node(self, op: str, *inputs: str, output: str = "", **attributes) -> str:
        output = output or f"{op.lower()}_{len(self.nodes)}"
        return self.append(op, inputs, [output], name=f"node_{output}", **attributes)

    def constant(self, array: object, dtype: type = np.float32) -> str:
        if self.otherwise and dtype is np.int64:
            tensor = numpy_helper.from_array(np.asarray(array, dtype))
            return self.node("Constant", output=f"integers_{len(self.nodes)}", value=tensor)
        return self.store(np.asarray(array, dtype), f"weight_{len(self.weights)}")

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        return self.rng.normal(scale=scale, size=shape)

    def linear(self, x: str, weight: str, bias: str) -> str:
        addends = [self.node("MatMul", x, weight), bias]
        if self.otherwise and self.spelling.random() < 0.5:
            addends.reverse()
        return self.node("Add", *addends)

    def parameters(
        self, rows: int, columns: int, scale: float = 1.0, channels: np.ndarray | float = 1.0
    ) -> tuple[str, str]:
        """A weight and a bias; `channels` multiplies both, column by column."""
        weight = self.normal(rows, columns, scale=scale / np.sqrt(rows))
        return self.constant(weight * channels), self.constant(
            self.normal(columns, scale=0.1) * channels
        )

    def norm(self, x: str) -> str:
        scale, bias = (
            self.constant(1 + self.normal(self.hidden, scale=0.1)),
            self.constant(self.normal(self.hidden, scale=0.1)),
        )
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def embeddings(self) -> str:
        words, places = (
            self.constant(self.normal(self.words, self.hidden)),
            self.constant(self.normal(LONGEST, self.hidden, scale=0.3)),
        )
        length = self.node("Gather", self.node("Shape", IDS), self.constant(1, np.int64), axis=0)
        steps = self.node("Range", self.constant(0, np.int64), length, self.constant(1, np.int64))
        return self.norm(
            self.node("Add", self.node("Gather", words, IDS), self.node("Gather", places, steps))
        )

    def layer_parameters(self) -> dict[str, tuple[str, str]]:
        """Weights of one layer. What a channel of the queries is multiplied by, the same channel of
        the keys is divided by.
        """
        channels = 10.0 ** self.rng.uniform(-self.spread, self.spread, self.hidden)
        hidden, wide = self.hidden, self.wide
        return {
            "query": self.parameters(hidden, hidden, SHARPNESS, channels),
            "key": self.parameters(hidden, hidden, SHARPNESS, 1 / channels),
            "value": self.parameters(hidden, hidden),
            "output": self.parameters(hidden, hidden, 2),
            "up": self.parameters(hidden, wide),
            "down": self.parameters(wide, hidden, 2),
        }

    def layer(self, x: str, penalty: str, weights: dict[str, tuple[str, str]]) -> str:
        x = self.norm(self.node("Add", self.attention(x, penalty, weights), x))
        up = self.linear(x, *weights["up"])
        bent = self.node(str(self.rng.choice(["Relu", "Tanh"])), up)
        return self.norm(self.node("Add", self.linear(bent, *weights["down"]), x))

    def attention(self, x: str, penalty: str, weights: dict[str, tuple[str, str]]) -> str:
        apart = self.constant([0, 0, self.heads, self.hidden // self.heads], np.int64)
        perms = {"query": [0, 2, 1, 3], "key": [0, 2, 3, 1], "value": [0, 2, 1, 3]}
        query, key, value = (
            self.node(
                "Transpose", self.node("Reshape", self.linear(x, *weights[name]), apart), perm=perm
            )
            for name, perm in perms.items()
        )
        scaled = self.node(
            "Mul",
            self.node("MatMul", query, key),
            self.constant((self.hidden // self.heads) ** -0.5),
        )
        mixed = self.node(
            "MatMul", self.node("Softmax", self.node("Add", scaled, penalty), axis=-1), value
        )
        together = self.constant([0, 0, self.hidden], np.int64)
        mixed = self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), together)
        return self.linear(mixed, *weights["output"])

    def penalty(self) -> str:
        """0 where the mask is 1, and -10000 where it is 0: (batch, 1, 1, sequence)."""
        missing = self.node("Sub", self.constant(1), self.node("Cast", MASK, to=TensorProto.FLOAT))
        return self.node(
            "Unsqueeze",
            self.node("Mul", missing, self.constant(-1e4)),
            self.constant([1, 2], np.int64),
        )

    def pooler(self, x: str) -> None:
        """tanh(first token · weightᵀ + bias), as exporters write a linear layer over a matrix: Gemm
        with transB.
        """
        first = self.node("Gather", x, self.constant(0, np.int64), axis=1)
        weight = self.constant(self.normal(self.wide, self.hidden, scale=0.5 * self.hidden**-0.5))
        bias = self.constant(
            self.normal(self.wide, scale=0.3)
        )  # an answer that loses it is far off
        self.node("Tanh", self.node("Gemm", first, weight, bias, transB=1), output="pooled")
        self.outputs.append(value("pooled", "batch", self.wide))

    def model(self, shared: bool = False, pooler: bool = False) -> ModelProto:
        """`shared`: all layers have the weights of the first."""
        x, penalty = self.embeddings(), self.penalty()
        weights = self.layer_parameters()
        for number in range(self.layers):
            x = self.layer(x, penalty, weights if shared or not number else self.layer_parameters())
        if pooler:
            self.pooler(x)
        self.node("Identity", x, output="last_hidden_state")
        self.inputs = [
            value(name, "batch", "sequence", element_type=TensorProto.INT64) for name in (IDS, MASK)
        ]
        if self.otherwise:
            self.store(np.arange(LONGEST)[None], "position_ids")
        # The dynamo exporter describes every initializer as a value, too.
        described = [
            value(tensor.name, *tensor.dims, element_type=tensor.data_type)
            for tensor in self.weights
        ]
        return make_model(self.graph("encoder", described), int(self.rng.integers(17, 21)))


def plain(rng: np.random.Generator) -> ModelProto:
    """a small BERT with random weights."""
    return Encoder(rng, int(rng.integers(1, 3))).model()


def pooled(rng: np.random.Generator) -> ModelProto:
    """a BERT with a pooler: its last product is a Gemm, with the weight transposed."""
    return Encoder(rng, 1, otherwise=True).model(pooler=True)


def rescaled(rng: np.random.Generator) -> ModelProto:
    """a BERT whose queries and keys have channels of very different size."""
    return Encoder(rng, int(rng.integers(1, 3)), spread=1.5).model()


def shared(rng: np.random.Generator) -> ModelProto:
    """a BERT with a pooler, whose layers share their weights."""
    return Encoder(rng, int(rng.integers(2, 4))).model(shared=True, pooler=True)


PUBLIC: dict[str, Callable[[np.random.Generator], ModelProto]] = {"small": plain, "pooler": pooled}
HIDDEN = {
    "small-new-weights": plain,
    "pooler-new-weights": pooled,
    "rescaled": rescaled,
    "shared-layers": shared,
}

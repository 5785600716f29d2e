"""One step of a tiny decoder as ONNX, with the cache of earlier tokens as inputs and outputs.

Every exporter writes such a step in another way, so most of what can differ is a choice here: names
and order, how many tokens a call takes, whether positions and a mask are asked for, where the
tokens of the cache lie, whether the cache is one tensor or many, and of which type. The network
stays the same: an embedding and a position for each token, layers of causal attention, logits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from onnx import ModelProto, TensorProto

from formatlab.models import make_model
from formatlab.models.builder import Builder, value

# The first opset that has the operator Attention, and the first IR version that goes with it.
ATTENTION = 23
ATTENTION_IR = 11
# Twice the size of the usual start, and more for the logits: what a token attends to decides which
# token comes next.
WEIGHTS = 2.0
LOGITS = 3.0
LONGEST = 64


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a step is written down.

    `past` and `present` are the names of the cache's inputs and outputs, with `{layer}` and
    `{part}`; `parts` are what stands for keys and values. `one_token` fixes a call to one token for
    each row. With `tokens_first` a cache has the shape (batch, tokens, heads, size), otherwise
    (batch, heads, tokens, size). With `joined`, the whole cache is one tensor: layers, keys and
    values, then these four. With `mixed`, the caches of values have wider rows than those of keys, and
    the other type; it does not go with `joined`. `shuffled` draws the order of inputs and outputs.
    """

    layers: int = 2
    heads: int = 2
    size: int = 4
    vocabulary: int = 19
    opset: int = 20
    past: str = "past_key_values.{layer}.{part}"
    present: str = "present.{layer}.{part}"
    parts: tuple[str, str] = ("key", "value")
    tokens: str = "past_sequence"
    one_token: bool = False
    positions: bool = False
    mask: bool = False
    tokens_first: bool = False
    joined: bool = False
    half: bool = False
    mixed: bool = False
    shuffled: bool = False

    @property
    def width(self) -> int:
        return self.heads * self.size

    @property
    def sizes(self) -> tuple[int, int]:
        """Return the size of a key and that of a value."""
        return self.size, self.size + 2 * self.mixed

    @property
    def elements(self) -> tuple[int, int]:
        """Return the type in which keys are kept, and that of values."""
        types = (TensorProto.FLOAT, TensorProto.FLOAT16)
        return types[self.half], types[self.half != self.mixed]


class _Pair(NamedTuple):
    """Keys and values of one layer, by the names of their values in the graph."""

    key: str
    value: str


def model(form: Form, rng: np.random.Generator) -> ModelProto:
    """A step with random weights."""
    step = _Step(form, rng)
    step.write()
    ir_version = ATTENTION_IR if form.opset >= ATTENTION else 10
    return make_model(step.graph("step"), form.opset, ir_version)


class _Step(Builder):
    def __init__(self, form: Form, rng: np.random.Generator):
        super().__init__()
        self.form = form
        self.rng = rng
        self.count = 0

    def node(self, operator: str, *inputs: str, **attributes: object) -> str:
        return self.append(operator, inputs, [self.name()], **attributes)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def integers(self, *numbers: int) -> str:
        return self.store(np.array(numbers, np.int64), self.name())

    def number(self, number: float, kind: type = np.int64) -> str:
        return self.store(np.array(number, kind), self.name())

    def weight(self, rows: int, columns: int, scale: float = WEIGHTS) -> str:
        values = self.rng.normal(scale=scale / np.sqrt(rows), size=(rows, columns))
        return self.store(values.astype(np.float32), self.name())

    def write(self) -> None:
        """Fill the graph, its inputs and its outputs."""
        form = self.form
        tokens = 1 if form.one_token else "sequence"
        self.inputs.append(value("input_ids", "batch", tokens, element_type=TensorProto.INT64))
        if form.positions:
            asked = value("position_ids", "batch", tokens, element_type=TensorProto.INT64)
            self.inputs.append(asked)
        if form.mask:
            asked = value("attention_mask", "batch", "total", element_type=TensorProto.INT64)
            self.inputs.append(asked)
        past = self.read_cache()
        new = self.node("Gather", self.node("Shape", "input_ids"), self.number(1))
        old = self.node("Gather", self.node("Shape", past[0].key), self.number(2))
        total = self.node("Add", old, new)
        places = self.node("Range", old, total, self.number(1))
        x = self.node("Gather", self.weight(form.vocabulary, form.width, 4.0), "input_ids")
        # A table of rows for positions, sharp enough that the next position is another one.
        table = self.weight(LONGEST, form.width, 12.0)
        where = "position_ids" if form.positions else places
        x = self.node("Tanh", self.node("Add", x, self.node("Gather", table, where)))
        sees = self.visible(places, total)
        present = []
        for cache in past:
            attended, kept = self.attend(x, cache, sees)
            rows = form.heads * form.sizes[1]
            y = self.node("MatMul", attended, self.weight(rows, form.width))
            x = self.node("Tanh", self.node("Add", x, y))
            present.append(kept)
        self.append("MatMul", [x, self.weight(form.width, form.vocabulary, LOGITS)], ["logits"])
        self.outputs.append(value("logits", "batch", tokens, form.vocabulary))
        self.write_cache(present)
        if form.shuffled:
            self.inputs = [self.inputs[i] for i in self.rng.permutation(len(self.inputs))]
            self.outputs = [self.outputs[i] for i in self.rng.permutation(len(self.outputs))]

    def shape(self, tokens: str, place: int = 0) -> list[int | str]:
        """Return the shape of a cache of keys (place 0) or of values (1)."""
        middle: list[int | str] = [self.form.heads, tokens]
        if self.form.tokens_first:
            middle.reverse()
        return ["batch", *middle, self.form.sizes[place]]

    def read_cache(self) -> list[_Pair]:
        """Declare the cache's inputs; keys and values as float32, (batch, heads, tokens, size)."""
        form = self.form
        if form.joined:
            shape = [form.layers, 2, *self.shape(form.tokens)]
            self.inputs.append(value(form.past, *shape, element_type=form.elements[0]))
        read = []
        for layer in range(form.layers):
            parts = []
            for place, part in enumerate(form.parts):
                element = form.elements[place]
                if form.joined:
                    one = self.node("Gather", form.past, self.number(layer))
                    name = self.node("Gather", one, self.number(place))
                else:
                    name = form.past.format(layer=layer, part=part)
                    shape = self.shape(form.tokens, place)
                    self.inputs.append(value(name, *shape, element_type=element))
                if element == TensorProto.FLOAT16:
                    name = self.node("Cast", name, to=TensorProto.FLOAT)
                if form.tokens_first:
                    name = self.node("Transpose", name, perm=[0, 2, 1, 3])
                parts.append(name)
            read.append(_Pair(*parts))
        return read

    def write_cache(self, present: list[_Pair]) -> None:
        form = self.form
        after = f"{form.tokens}_after"
        layers = []
        for layer, pair in enumerate(present):
            parts = []
            for place, part in enumerate(form.parts):
                name = pair[place]
                element = form.elements[place]
                if form.tokens_first:
                    name = self.node("Transpose", name, perm=[0, 2, 1, 3])
                if element == TensorProto.FLOAT16:
                    name = self.node("Cast", name, to=TensorProto.FLOAT16)
                if form.joined:
                    parts.append(self.node("Unsqueeze", name, self.integers(0, 1)))
                else:
                    out = form.present.format(layer=layer, part=part)
                    self.append("Identity", [name], [out])
                    shape = self.shape(after, place)
                    self.outputs.append(value(out, *shape, element_type=element))
            if form.joined:
                layers.append(self.node("Concat", *parts, axis=1))
        if form.joined:
            self.append("Concat", layers, [form.present], axis=0)
            shape = [form.layers, 2, *self.shape(after)]
            self.outputs.append(value(form.present, *shape, element_type=form.elements[0]))

    def visible(self, places: str, total: str) -> str:
        """Which keys each new token may see: (1, 1, tokens, total) or (batch, 1, tokens, total)."""
        keys = self.node("Range", self.number(0), total, self.number(1))
        sees = self.node("LessOrEqual", keys, self.node("Unsqueeze", places, self.integers(1)))
        sees = self.node("Unsqueeze", sees, self.integers(0, 1))
        if not self.form.mask:
            return sees
        asked = self.node("Cast", "attention_mask", to=TensorProto.BOOL)
        return self.node("And", sees, self.node("Unsqueeze", asked, self.integers(1, 2)))

    def attend(self, x: str, past: _Pair, sees: str) -> tuple[str, _Pair]:
        """What the heads read, (batch, tokens, width), and the cache with the new tokens."""
        form = self.form
        size, size_of_values = form.sizes
        query, key, new_value = (self.heads(x, each) for each in (size, size, size_of_values))
        if form.opset >= ATTENTION:
            kept = _Pair(self.name(), self.name())
            read = self.append(
                "Attention",
                [query, key, new_value, sees, past.key, past.value],
                [self.name(), *kept],
            )
        else:
            kept = _Pair(
                self.node("Concat", past.key, key, axis=2),
                self.node("Concat", past.value, new_value, axis=2),
            )
            products = self.node(
                "MatMul", query, self.node("Transpose", kept.key, perm=[0, 1, 3, 2])
            )
            scores = self.node("Mul", products, self.number(size**-0.5, np.float32))
            scores = self.node("Where", sees, scores, self.number(-1e9, np.float32))
            read = self.node("MatMul", self.node("Softmax", scores, axis=-1), kept.value)
        read = self.node("Transpose", read, perm=[0, 2, 1, 3])
        width = form.heads * size_of_values
        return self.node("Reshape", read, self.integers(0, 0, width)), kept

    def heads(self, x: str, size: int) -> str:
        """A projection of each token, split into heads: (batch, heads, tokens, size)."""
        form = self.form
        y = self.node("MatMul", x, self.weight(form.width, form.heads * size))
        y = self.node("Reshape", y, self.integers(0, 0, form.heads, size))
        return self.node("Transpose", y, perm=[0, 2, 1, 3])

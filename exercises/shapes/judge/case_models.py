"""Models for the exercise `shapes`, drawn from a seed: their values are declared with numbers,
names, gaps, or not at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper

from formatlab.models import make_model
from formatlab.models.builder import Builder, value

KINDS = ("static", "named", "unknown", "missing")
NAMES = ("batch", "steps", "N", "seq_len", "u3", "2*batch", "height", "s77")
# Names that a person gave and that look as if inference had, by the mistake that takes them for such.
LIKE_INVENTED = {
    "any unk": ("unk", "unk_rows", "more_unk__2"),
    "any case": ("UNK__2", "Unk__rows", "rows"),
}
VENDOR = "lab.vendor"
UNARY = ("Relu", "Tanh", "Sigmoid", "Neg", "Elu", "Softplus", "Abs", "Selu")


class Draft(Builder):
    """A graph under construction. Its values have the three axes of the model, each with one size
    and one name. A graph inside another one draws names and kinds from the same store.
    """

    count: list[int]
    sizes: tuple[int, ...]
    names: tuple[str, ...]
    shows: frozenset[str]
    kinds: deque[str]
    declared: list[ValueInfoProto]

    def __init__(
        self,
        rng: np.random.Generator,
        parent: Draft | None = None,
        shows: frozenset[str] = frozenset(),
    ):
        super().__init__()
        self.rng = rng
        self.count = parent.count if parent else [0]
        self.sizes = (
            parent.sizes
            if parent
            else tuple(int(size) for size in rng.choice(np.arange(2, 12), 3, replace=False))
        )
        self.shows = parent.shows if parent else shows
        self.names = parent.names if parent else _names(rng, shows)
        self.kinds = parent.kinds if parent else _kinds(rng)
        self.declared = []

    def unary(self, x: str, kind: str = "", output: str = "") -> str:
        return self.node(str(self.rng.choice(UNARY)), [x], kind, output=output)

    def node(
        self,
        operator: str,
        inputs: list[str],
        kind: str = "",
        dims: list | None = None,
        output: str = "",
        **attributes,
    ) -> str:
        """A node whose output is declared as `kind` says (the next of the model's kinds); `dims`
        are its axes if it has others.
        """
        name = self.append(operator, inputs, [output or self.name()], **attributes)
        self.declare(name, kind or self.kinds.popleft(), dims)
        return name

    def declare(
        self, name: str, kind: str, dims: list | None = None, element: int = TensorProto.FLOAT
    ) -> None:
        if kind != "missing":
            self.declared.append(
                value(name, *(self.dims(kind) if dims is None else dims), element_type=element)
            )
        elif "bare" in self.shows and self.rng.random() < 0.6:
            self.declared.append(helper.make_tensor_value_info(name, element, None))

    def dims(self, kind: str) -> list[int | str | None]:
        """Three axes that make the value static, named or unknown; which axes are special is drawn."""
        if kind == "static":
            return [*self.sizes]
        special = self.rng.permutation(3)[: int(self.rng.integers(1, 3))]
        plain: list[int | str | None] = [
            self.names[axis]
            if kind == "unknown" and "any name" in self.shows and self.rng.random() < 0.6
            else self.sizes[axis]
            for axis in range(3)
        ]
        for axis in special:
            plain[axis] = self.names[axis] if kind == "named" else self.gap()
        return plain

    def gap(self) -> str | None:
        """What stands for a dimension that nobody knows: nothing, or a name that inference made up."""
        self.count[0] += 1
        is_made_up = "invented" in self.shows and self.rng.random() < 0.6
        end = "_after" if self.rng.random() < 0.5 else ""
        return f"unk__{self.count[0]}{end}" if is_made_up else None

    def name(self) -> str:
        self.count[0] += 1
        return f"v{self.count[0]}"

    def weight(self, *dims: int, declared: bool = False) -> str:
        name = f"w{self.name()}"
        self.store(self.rng.normal(size=dims).astype(np.float32), name)
        if declared:
            self.declared.append(value(name, *dims))
        return name

    def written(
        self, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]
    ) -> GraphProto:
        """The graph, its declarations in random order. Where its outputs are not the difficulty,
        value_info declares them as well.
        """
        self.inputs, self.outputs = inputs, outputs
        shown = [
            declared
            for declared in self.declared
            if "no outputs" not in self.shows
            or declared.name not in {output.name for output in outputs}
        ]
        return self.graph(name, [shown[i] for i in self.rng.permutation(len(shown))])

    def model(self, last: str) -> ModelProto:
        """The model whose last node writes a named output."""
        y = self.unary(last, "named", "y")
        inputs = [
            value("x", *self.names),
            value("flag", element_type=TensorProto.BOOL),
            value("trips", element_type=TensorProto.INT64),
        ]
        return make_model(
            self.written("main", inputs, [next(v for v in self.declared if v.name == y)])
        )


def _names(rng: np.random.Generator, shows: frozenset[str]) -> tuple[str, ...]:
    """Three axes; they may have a person's names that look like those of shape inference."""
    like = [names for way, names in LIKE_INVENTED.items() if way in shows]
    names = rng.permutation(like[0]) if like else rng.choice(NAMES, 3, replace=False)
    return tuple(str(name) for name in names)


def _kinds(rng: np.random.Generator) -> deque[str]:
    """Twenty kinds in random order, each another number of times."""
    counts = rng.permutation([3, 4, 5, 8])
    return deque(rng.permutation(np.repeat(KINDS, counts)).tolist())


def _chain(draft: Draft, x: str, length: int) -> str:
    for _ in range(length):
        x = draft.unary(x)
    return x


def plain(draft: Draft) -> ModelProto:
    """A chain."""
    return draft.model(_chain(draft, "x", 18))


def zero(draft: Draft) -> ModelProto:
    """A dimension of size 0."""
    draft.sizes = (0, *draft.sizes[1:])
    return draft.model(_chain(draft, "x", 17))


def scalars(draft: Draft) -> ModelProto:
    """Values without dimensions."""
    x = _chain(draft, "x", 8)
    for _ in range(3):
        draft.node("ReduceSum", [x], "static", [], keepdims=0)
    return draft.model(_chain(draft, x, 6))


def optional(draft: Draft) -> ModelProto:
    """Nodes that leave outputs out, in the middle and at the end."""
    x = _chain(draft, "x", 5)
    for outputs in (("y", "", "inv"), ("y", "", "")):
        written = [f"{name}_{draft.name()}" if name else "" for name in outputs]
        scale = draft.weight(draft.sizes[2])
        x = draft.append("LayerNormalization", [x, scale], written, axis=-1)
        draft.declare(x, draft.kinds.popleft())
        if written[2]:
            draft.declare(written[2], "static", [*draft.sizes[:2], 1])
    mask = draft.name()
    draft.declare(draft.append("Dropout", [x], [draft.name(), mask]), draft.kinds.popleft())
    draft.declare(mask, "static", element=TensorProto.BOOL)
    return draft.model(_chain(draft, x, 6))


def _branch(
    draft: Draft, x: str, length: int, kinds: list[str], names: list[str] | None = None
) -> GraphProto:
    """A subgraph: some steps, and an output that is declared as the last of `kinds`."""
    child = Draft(draft.rng, draft)
    if kinds[length] == "missing":  # the output of a graph has a declaration
        kinds = [*kinds[:length], "static"]
    for step in range(length):
        x = child.unary(x, kinds[step], names[step] if names else "")
    output = child.unary(x, kinds[length])
    declared = [v for v in child.declared if v.name == output]
    return child.written(f"g{child.name()}", [], declared)


def _next(draft: Draft, count: int) -> list[str]:
    return [draft.kinds.popleft() for _ in range(count)]


def branches(draft: Draft) -> ModelProto:
    """An If whose branches are declared in their own value_info."""
    x = _chain(draft, "x", 4)
    then, other = _branch(draft, x, 4, _next(draft, 5)), _branch(draft, x, 2, _next(draft, 3))
    x = draft.node("If", ["flag"], then_branch=then, else_branch=other)
    return draft.model(_chain(draft, x, 3))


def twins(draft: Draft) -> ModelProto:
    """Two branches that use one name for two values, declared differently or not at all; the graph
    around them declares these names too.
    """
    x = _chain(draft, "x", 3)
    names = [draft.name() for _ in range(4)]
    first = ["static", "missing", "unknown", "named", "static"]
    then = _branch(draft, x, 4, first, names)
    other = _branch(draft, x, 4, ["unknown", "static", "missing", "unknown", "named"], names)
    draft.declared += [value(name, *draft.sizes) for name in names]
    x = draft.node("If", ["flag"], then_branch=then, else_branch=other)
    return draft.model(_chain(draft, x, 5))


def nested(draft: Draft) -> ModelProto:
    """An If inside the body of a Loop."""

    def choose(body: Draft, go: str, state: str) -> str:
        inner = body.unary(state)
        branches = _branch(body, inner, 2, _next(body, 3)), _branch(body, inner, 1, _next(body, 2))
        return body.node("If", [go], then_branch=branches[0], else_branch=branches[1])

    x = _chain(draft, "x", 3)
    x = draft.node("Loop", ["trips", "", x], body=_body(draft, choose))
    return draft.model(_chain(draft, x, 4))


def names_of_a_body(draft: Draft) -> ModelProto:
    """A Loop and an If, whose graphs write names that the main graph declares and they do not."""
    names = [draft.name() for _ in range(7)]

    def write(body: Draft, _go: str, x: str) -> str:
        for name, kind in zip(names[3:], ("missing", "named", "missing", "unknown"), strict=True):
            x = body.unary(x, kind, name)
        return x

    x = _chain(draft, "x", 3)
    x = draft.node("Loop", ["trips", "", x], body=_body(draft, write))
    draft.declared += [value(name, *draft.sizes) for name in names]
    then = _branch(draft, x, 3, ["missing", "missing", "missing", "named"], names[:3])
    other = _branch(draft, x, 1, _next(draft, 2))
    x = draft.node("If", ["flag"], then_branch=then, else_branch=other)
    return draft.model(_chain(draft, x, 3))


def _body(draft: Draft, write: Callable[[Draft, str, str], str]) -> GraphProto:
    """The body of a Loop: `write(body, condition, state)` writes its nodes, and gives the last value."""
    body = Draft(draft.rng, draft)
    i, go, state, keep = (body.name() for _ in range(4))
    last = body.unary(write(body, go, state), "named")
    body.node("Identity", [go], "static", [], output=keep)
    inputs = [
        value(i, element_type=TensorProto.INT64),
        value(go, element_type=TensorProto.BOOL),
        value(state, *draft.names),
    ]
    outputs = [
        value(keep, element_type=TensorProto.BOOL),
        next(v for v in body.declared if v.name == last),
    ]
    return body.written("body", inputs, outputs)


def exported(draft: Draft) -> ModelProto:
    """value_info as an exporter leaves it: it declares weights as well, and values that no node
    writes any more.
    """
    x = _chain(draft, "x", 6)
    for _ in range(4):
        x = draft.node("Mul", [x, draft.weight(draft.sizes[2], declared=True)])
    draft.declared += [
        value(f"gone_{draft.name()}", *draft.dims(kind)) for kind in ("static", "named", "unknown")
    ]
    return draft.model(_chain(draft, x, 5))


def list_of_graphs(draft: Draft) -> ModelProto:
    """A vendor's node that holds two graphs in one attribute."""
    x = _chain(draft, "x", 4)
    choices = [_branch(draft, x, 4, _next(draft, 5)), _branch(draft, x, 2, _next(draft, 3))]
    x = draft.node("Choose", ["flag"], domain=VENDOR, choices=choices)
    model = draft.model(_chain(draft, x, 3))
    model.opset_import.append(helper.make_opsetid(VENDOR, 1))
    return model


def deeper(draft: Draft) -> ModelProto:
    """A vendor's node with a graph in an attribute of its own, and a branch whose node holds a list
    of graphs, one of which holds an If.
    """
    x = _chain(draft, "x", 2)
    alone = _branch(draft, x, 1, _next(draft, 2))
    branch = Draft(draft.rng, draft)
    listed = Draft(draft.rng, draft)
    sides = _branch(listed, x, 1, _next(draft, 2)), _branch(listed, x, 1, ["static", "unknown"])
    listed.node("If", ["flag"], "named", then_branch=sides[0], else_branch=sides[1])
    choices = [
        listed.written(f"g{listed.name()}", [], [listed.declared[-1]]),
        _branch(branch, x, 1, _next(draft, 2)),
    ]
    branch.node("Choose", ["flag"], "static", domain=VENDOR, choices=choices)
    then = branch.written(f"g{branch.name()}", [], [branch.declared[-1]])
    other = _branch(draft, x, 1, _next(draft, 2))
    x = draft.node("Repeat", [x], domain=VENDOR, inside=alone)
    x = draft.node("If", ["flag"], then_branch=then, else_branch=other)
    model = draft.model(_chain(draft, x, 4))
    model.opset_import.append(helper.make_opsetid(VENDOR, 1))
    return model


@dataclass(frozen=True)
class Kind:
    """What a model is about: what is drawn, and which ways of judging or looking up declarations it
    shows to be wrong, of those that not every model does.
    """

    theme: Callable[[Draft], ModelProto]
    shows: frozenset[str] = frozenset()


def _plain(*shows: str) -> Kind:
    return Kind(plain, frozenset(shows))


KINDS_OF_MODELS = {
    "chain": _plain(),
    "called-unk": _plain("any unk", "one underscore", "anywhere"),
    "made-up": _plain("invented", "numbered"),
    "name-and-gap": _plain("any name"),
    "no-shape": _plain("bare"),
    "graph-output": _plain("no outputs"),
    "zero": Kind(zero, frozenset({"zero"})),
    "scalars": Kind(scalars, frozenset({"scalar"})),
    "optional": Kind(optional),
    "branches": Kind(branches),
    "twins": Kind(twins),
    "nested": Kind(nested, frozenset({"scalar"})),  # the condition of its Loop
    "list-of-graphs": Kind(list_of_graphs),
    "exported": Kind(exported),
}


HIDDEN_KINDS = {
    "called-in-capitals": _plain("any case"),
    "names-of-a-body": Kind(names_of_a_body, frozenset({"scalar", "main for bodies"})),
    "outputs-of-branches": Kind(branches, frozenset({"no outputs", "main outputs"})),
    "deeper": Kind(deeper),
}


def draw(kind: Kind, seed: int) -> ModelProto:
    return kind.theme(Draft(np.random.default_rng(seed), shows=kind.shows))

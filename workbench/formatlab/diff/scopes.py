"""A graph, a subgraph or a function's body as nodes that read *sources*, with every name resolved.

What writes a name is what ONNX Runtime would take: the nearest node before the reader; an
initializer or input of the graph; a node further down (the graph is then not sorted); the graph
around. Nothing here refuses a broken graph, because that is what a comparison is often for.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import NamedTuple

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, defs, helper

from formatlab.diff.reading import Model
from formatlab.diff.weights import Weight, check
from formatlab.graphs import domain, named_subgraphs

# What a value is known by: its kind, place and output.
Key = tuple[str, int, int]


class Source(NamedTuple):
    """Where a value comes from. `kind` is node, input, weight, outer, missing or none; `at` is the
    place of the node, input, weight or captured name; `output` the output of the node.
    """

    kind: str
    at: int = -1
    output: int = 0
    name: str = ""

    @property
    def key(self) -> Key:
        return self.kind, self.at, self.output


NOTHING = Source("none")
# In the key of a function's second definition and of those after it.
AGAIN = " (definition "


class Use(NamedTuple):
    """A reader of a value: a node's input (`port` from 0), a name that a node's subgraphs capture
    (`port` is -1), or an output of the graph (`node` is -1).
    """

    node: int
    port: int


@dataclass(eq=False, kw_only=True)
class Node:
    """A node of a scope. `operator` is `Op` or `domain::Op`; `attributes` are comparable values,
    `defaults` what the operator's schema has for those that are left out; `subgraphs` by the
    attribute's name; `captured` what those read from outside; `is_call` that the model defines it.
    The operator of a call to an overloaded function ends with `:overload`.
    """

    at: int
    operator: str
    name: str
    inputs: list[Source]
    outputs: list[str]
    attributes: dict[str, object]
    defaults: dict[str, object] = field(default_factory=dict)
    subgraphs: list[tuple[str, Scope]] = field(default_factory=list)
    captured: list[Source] = field(default_factory=list)
    is_call: bool = False
    proto: NodeProto | None = None

    @property
    def kind(self) -> str:
        """The operator without its domain."""
        return self.operator.rpartition("::")[2]

    @property
    def particular(self) -> tuple[tuple[str, object], ...]:
        """The attributes that are not what the operator has without them."""
        unlike = (
            (name, value)
            for name, value in self.attributes.items()
            if name not in self.defaults or self.defaults[name] != value
        )
        return tuple(sorted(unlike))

    def sources(self) -> Iterator[tuple[int, Source]]:
        """What it reads, with the number of the input; -1 for what its subgraphs capture."""
        yield from enumerate(self.inputs)
        yield from ((-1, source) for source in self.captured)


@dataclass(eq=False)
class Scope:
    """One level of names. `captures` are the names taken from the graph around, `unwritten` those of
    them that no graph writes, `outer_weights` those that are weights there; `twice` are written more than once, `late` read before they are
    written (reader, name), `shadowing` names of a graph around as well. `order` are the nodes' places, each after what it reads.
    """

    title: str
    inputs: list[str]
    _: KW_ONLY
    nodes: list[Node] = field(default_factory=list)
    weights: list[Weight] = field(default_factory=list)
    outputs: list[Source] = field(default_factory=list)
    output_names: list[str] = field(default_factory=list)
    captures: list[str] = field(default_factory=list)
    unwritten: set[str] = field(default_factory=set)
    outer_weights: dict[str, Weight] = field(default_factory=dict)
    users: dict[Key, list[Use]] = field(default_factory=lambda: defaultdict(list))
    order: list[int] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    late: list[tuple[int, str]] = field(default_factory=list)
    shadowing: list[str] = field(default_factory=list)
    proto: GraphProto | FunctionProto | None = None

    def readers(self, source: Source) -> list[Use]:
        return self.users.get(source.key, [])

    def name_of(self, source: Source) -> str:
        """The name of a value, as the file has it."""
        if source.kind == "node":
            outputs = self.nodes[source.at].outputs
            return outputs[source.output] if source.output < len(outputs) else ""
        if source.kind == "input":
            return self.inputs[source.at]
        if source.kind == "weight":
            return self.weights[source.at].name
        return self.captures[source.at] if source.kind == "outer" else source.name


def main(model: Model) -> Scope:
    """The model's graph. Raises CannotDiff where a weight is not what it says."""
    return _Builder.of(model).graph(model.proto.graph, "")


def functions(model: Model) -> dict[str, Scope]:
    """The bodies of the model's functions, by `domain::name`; those after the first of a name, which
    ONNX forbids, with a number.
    """
    found: dict[str, Scope] = {}
    times: Counter[str] = Counter()
    calls = _calls(model)
    for each in model.proto.functions:
        name = function_name(each)
        times[name] += 1
        again = f"{AGAIN}{times[name]})" if times[name] > 1 else ""
        found[name + again] = _Builder.of(model, each, calls).function(each)
    return found


def _calls(model: Model) -> dict[str, dict[str, object]]:
    return {function_name(each): own_defaults(each, model) for each in model.proto.functions}


def function_name(function: FunctionProto) -> str:
    overload = f":{function.overload}" if getattr(function, "overload", "") else ""
    return f"{domain(function.domain)}::{function.name}{overload}".removeprefix("::")


def own_defaults(function: FunctionProto, model: Model) -> dict[str, object]:
    """What a function's attributes are where a call leaves them out."""
    return collected(function.attribute_proto, model)


@dataclass
class _Builder:
    model: Model
    calls: Mapping[str, dict[str, object]]
    opsets: Mapping[str, int]

    @classmethod
    def of(
        cls,
        model: Model,
        function: FunctionProto | None = None,
        calls: Mapping[str, dict[str, object]] | None = None,
    ) -> _Builder:
        imports = {each.domain: each.version for each in model.proto.opset_import}
        imports |= {each.domain: each.version for each in function.opset_import} if function else {}
        calls = _calls(model) if calls is None else calls
        return cls(model, calls, {domain(name): version for name, version in imports.items()})

    def graph(self, proto: GraphProto, title: str) -> Scope:
        stored = [self.model.weight(tensor) for tensor in proto.initializer]
        stored += [self.model.sparse_weight(each) for each in proto.sparse_initializer]
        by_name = {weight.name: weight for weight in reversed(stored)}
        inputs = []
        for value in proto.input:
            if value.name in by_name:
                by_name[value.name].is_input = True
            else:
                inputs.append(value.name)
        scope = Scope(title, inputs, weights=stored, proto=proto)
        scope.output_names = [value.name for value in proto.output]
        names = [*inputs, *(weight.name for weight in stored)]
        return self._fill(scope, proto.node, names)

    def function(self, proto: FunctionProto) -> Scope:
        scope = Scope(f"function {function_name(proto)}", list(proto.input), proto=proto)
        scope.output_names = list(proto.output)
        return self._fill(scope, proto.node, list(proto.input))

    def _fill(self, scope: Scope, protos: Iterable[NodeProto], names: list[str]) -> Scope:
        kept = []
        for proto in protos:
            if (weight := self._constant(proto)) is not None:
                names.append(weight.name)
                scope.weights.append(weight)
            else:
                kept.append(proto)
        written = names + [name for proto in kept for name in proto.output if name]
        scope.twice = [name for name, times in Counter(written).items() if times > 1]
        resolver = _Resolver(scope, kept)
        for at, proto in enumerate(kept):
            scope.nodes.append(self._node(scope, at, proto, resolver))
        scope.outputs = [resolver.source(name, len(kept)) for name in scope.output_names]
        for node in scope.nodes:
            for port, source in node.sources():
                scope.users[source.key].append(Use(node.at, port))
        for number, source in enumerate(scope.outputs):
            scope.users[source.key].append(Use(-1, number))
        scope.order = _order(scope)
        return scope

    def _node(self, scope: Scope, at: int, proto: NodeProto, resolver: _Resolver) -> Node:
        name = f"{domain(proto.domain)}::{proto.op_type}".removeprefix("::")
        overload = getattr(proto, "overload", "")
        called = f"{name}:{overload}" if overload else name
        node = Node(
            at=at,
            operator=called,
            name=proto.name,
            inputs=[resolver.source(each, at) for each in proto.input],
            outputs=list(proto.output),
            proto=proto,
            attributes=collected(proto.attribute, self.model),
        )
        for attribute, graph in named_subgraphs(proto):
            times = sum(each.partition(" (")[0] == attribute for each, _ in node.subgraphs) + 1
            if times > 1:  # of an attribute with several graphs, or one that stands twice
                attribute = f"{attribute} ({times})"
            inner = self.graph(graph, attribute)
            _shadow(inner, resolver.names)
            node.subgraphs.append((attribute, inner))
            for each in inner.captures:
                source = resolver.source(each, at)
                node.captured.append(source)
                if source.kind == "missing":
                    _mark(inner, each, None)
                elif source.kind == "weight":
                    _mark(inner, each, scope.weights[source.at])
        node.is_call = called in self.calls
        version = self.opsets.get(domain(proto.domain), 0)
        if node.is_call:
            node.defaults = self.calls[called]
        else:
            node.defaults = _defaults(domain(proto.domain), proto.op_type, version)
        return node

    def _constant(self, proto: NodeProto) -> Weight | None:
        """A Constant's number, unless it comes from a function's attribute."""
        if proto.op_type != "Constant" or domain(proto.domain) or len(proto.output) != 1:
            return None
        if len(proto.attribute) != 1:
            return None
        attribute = proto.attribute[0]
        # One that stores something else than its name says is compared as it is written.
        if CONSTANTS.get(attribute.name) != attribute.type or attribute.ref_attr_name:
            return None
        if attribute.name == "sparse_value":
            return self.model.sparse_weight(attribute.sparse_tensor, proto.output[0], "Constant")
        tensor = _tensor(attribute)
        named = TensorProto()
        named.CopyFrom(tensor)
        named.name = proto.output[0]
        return self.model.weight(named, "Constant")


def _shadow(scope: Scope, around: set[str]) -> None:
    """Tell the scope, and those inside it, which of their names stand for a value of a graph around."""
    own = {*scope.inputs, *(weight.name for weight in scope.weights)}
    own.update(name for node in scope.nodes for name in node.outputs)
    scope.shadowing = sorted({*scope.shadowing, *(own & around)})
    for node in scope.nodes:
        for _, inner in node.subgraphs:
            _shadow(inner, around)


def _mark(scope: Scope, name: str, weight: Weight | None) -> None:
    """Tell the scope, and those inside it, that a captured name is this weight, or nothing."""
    if name not in scope.captures:
        return
    if weight is None:
        scope.unwritten.add(name)
    else:
        scope.outer_weights[name] = weight
    for node in scope.nodes:
        for _, inner in node.subgraphs:
            _mark(inner, name, weight)


# The attributes of a Constant, with the types that ONNX has for them.
CONSTANTS = {
    "value": AttributeProto.TENSOR,
    "sparse_value": AttributeProto.SPARSE_TENSOR,
    "value_float": AttributeProto.FLOAT,
    "value_int": AttributeProto.INT,
    "value_string": AttributeProto.STRING,
    "value_floats": AttributeProto.FLOATS,
    "value_ints": AttributeProto.INTS,
    "value_strings": AttributeProto.STRINGS,
}
ELEMENTS = {"f": TensorProto.FLOAT, "i": TensorProto.INT64, "s": TensorProto.STRING}


def _tensor(attribute: AttributeProto) -> TensorProto:
    if attribute.type == AttributeProto.TENSOR:
        return attribute.t
    name = FIELDS[attribute.type]
    found = getattr(attribute, name)
    is_list = len(name) > 1
    values = list(found) if is_list else [found]
    return helper.make_tensor("", ELEMENTS[name[0]], [len(values)] if is_list else [], values)


class _Resolver:
    """What writes a name, for a reader at a place."""

    def __init__(self, scope: Scope, protos: list[NodeProto]):
        self.scope = scope
        self.writers: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, proto in enumerate(protos):
            for output, name in enumerate(proto.output):
                if name:
                    self.writers[name].append((at, output))
        self.fixed: dict[str, Source] = {}
        for at, name in enumerate(scope.inputs):
            self.fixed.setdefault(name, Source("input", at))
        for at, weight in enumerate(scope.weights):
            self.fixed.setdefault(weight.name, Source("weight", at))
        self.captured: dict[str, int] = {}
        self.names = {name for name in (*self.writers, *self.fixed) if name}

    def source(self, name: str, reader: int) -> Source:
        if not name:
            return NOTHING
        writers = self.writers.get(name, ())
        before = bisect_left(writers, (reader, -1))
        if before:
            return Source("node", *writers[before - 1])
        if name in self.fixed:
            return self.fixed[name]
        if writers:
            self.scope.late.append((reader, name))
            return Source("node", *writers[0])
        if self.scope.title == "" or isinstance(self.scope.proto, FunctionProto):
            return Source("missing", name=name)
        if name not in self.captured:
            self.captured[name] = len(self.scope.captures)
            self.scope.captures.append(name)
        return Source("outer", self.captured[name])


def _order(scope: Scope) -> list[int]:
    """The nodes so that each comes after what it reads; those of a circle at the end."""
    waiting = {
        node.at: {source.at for _, source in node.sources() if source.kind == "node"} - {node.at}
        for node in scope.nodes
    }
    readers: dict[int, list[int]] = defaultdict(list)
    for at, sources in waiting.items():
        for source in sources:
            readers[source].append(at)
    left = {at: len(sources) for at, sources in waiting.items()}
    ready = deque(at for at, number in left.items() if not number)
    order: list[int] = []
    while ready:
        at = ready.popleft()
        order.append(at)
        for reader in readers[at]:
            left[reader] -= 1
            if not left[reader]:
                ready.append(reader)
    placed = set(order)
    return order + [at for at in left if at not in placed]


@lru_cache(maxsize=4096)
def _defaults(domain_name: str, operator: str, version: int) -> dict[str, object]:
    """What the operator's attributes are where they are left out."""
    if version < 1 or not defs.has(operator, domain_name):
        return {}
    try:
        schema = defs.get_schema(operator, version, domain_name)
    except defs.SchemaError:
        return {}
    return {
        name: comparable(attribute.default_value)
        for name, attribute in schema.attributes.items()
        if attribute.default_value.name
    }


class Float(float):
    """A float32 that equals another one bit by bit: NaN equals itself, 0.0 is not -0.0, and 1.0 is not
    the integer 1.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Float) and struct.pack("<f", self) == struct.pack("<f", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(struct.pack("<f", self))


@dataclass(frozen=True)
class Values:
    """The values of an attribute that has several, or of attributes of one name. `kind` keeps an
    empty list of floats apart from one of integers.
    """

    kind: str
    each: tuple[object, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor in an attribute, known by all of its bytes."""

    identity: tuple[Hashable, ...]
    weight: Weight = field(compare=False, repr=False)


FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
}
SAID_ELSEWHERE = {"name", "doc_string", "type"}


def comparable(attribute: AttributeProto, model: Model | None = None) -> object:
    """The attribute as a value that equals another one's if both store the same, bit by bit. `model`
    says where tensors in other files lie. Raises CannotDiff.
    """
    name = FIELDS.get(attribute.type)
    stored = {each.name for each, _ in attribute.ListFields()} - SAID_ELSEWHERE
    if attribute.ref_attr_name and stored == {"ref_attr_name"}:
        return Values("the function's attribute", (attribute.type, attribute.ref_attr_name))
    if name is None or stored - {name}:  # of another type than it says, or of none
        clean = AttributeProto()
        clean.CopyFrom(attribute)
        clean.ClearField("doc_string")
        return clean.SerializeToString(deterministic=True)
    found = getattr(attribute, name)
    if name == "f":
        return Float(found)
    if name == "t":
        return _of_tensor(found, model)
    if name == "floats":
        return Values(name, tuple(map(Float, found)))
    if name == "tensors":
        return Values(name, tuple(_of_tensor(each, model) for each in found))
    return Values(name, tuple(found)) if name in ("ints", "strings") else found


def collected(
    attributes: Iterable[AttributeProto], model: Model | None = None
) -> dict[str, object]:
    """Attributes by name; those of a name that stands twice, which ONNX forbids, together."""
    found: dict[str, list[object]] = defaultdict(list)
    for each in attributes:
        if each.type not in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
            found[each.name].append(comparable(each, model))
    return {
        name: each[0] if len(each) == 1 else Values("twice", tuple(each))
        for name, each in found.items()
    }


def _of_tensor(tensor: TensorProto, model: Model | None) -> Tensor:
    if model is not None:
        weight = model.weight(tensor, "attribute")
    else:
        weight = Weight(tensor.name, tensor, "attribute")
        check(weight, "an attribute")
    return Tensor(weight.identity, weight)

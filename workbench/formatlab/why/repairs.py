"""Causes that a repair proves: each is an edit of B that takes one thing from A, tried on the part of B
that adds the error.

Nodes are found by the first name that they write and weights by their name, so that the same edit
serves a part, the whole model and the reproducer. A part of A put in place of one of B would heal
everything and prove nothing: no repair does that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial

import numpy as np
import onnx
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    helper,
    numpy_helper,
)

from formatlab import graphs
from formatlab.diff.parts import Part, Whole, in_order, named, reads
from formatlab.diff.places import MOVES, Place
from formatlab.diff.words import joined, number, plain, quoted

Edit = Callable[[ModelProto], None]
# A weight has more numbers than this; fewer are a parameter of a formula.
SCALAR = 1
MOST = 200
LARGEST_CONSTANTS = 500
# Values of a Concat whose orders are tried.
MOST_JOINED = 4
# Of nodes that prepare an input.
MOST_IN_CHAIN = 6
# Rows whose order is looked for.
MOST_ROWS = 256
# Rows to which an offset is fitted, and as many on which it has to hold.
FEWEST_ROWS = 4


@dataclass(frozen=True, kw_only=True)
class Repair:
    """`kind` is that of the cause, `node` the first output of B's node that the cause is in, `text`
    what differs, as a sentence without its full stop. `weights` says how B's come from A's. One that
    `is_structural` adds, removes or exchanges a node: several of them would be A's part in B's place.
    One that `reads` other values is tried on the outputs of the whole model as well.
    """

    kind: str
    node: str
    text: str
    edit: Edit
    weights: tuple[tuple[str, str, str], ...] = ()  # B's, A's, how: kept, transposed, permuted
    done: str = ""
    is_structural: bool = False
    reads: tuple[str, ...] = ()  # values outside of the part that the repaired part reads


@dataclass(eq=False)
class Region:
    """The part of B that adds the error, the same part of A, and which nodes are one."""

    place: Place
    a: Whole
    b: Whole
    _: KW_ONLY
    twins: Mapping[str, str]  # first outputs, of B: of A
    cut: Mapping[str, str] = field(default_factory=dict)  # values and inputs, of B: of A
    constants_a: Mapping[str, np.ndarray] = field(
        default_factory=dict
    )  # what nodes compute of weights
    constants_b: Mapping[str, np.ndarray] = field(default_factory=dict)
    nodes_a: dict[str, NodeProto] = field(init=False)
    nodes_b: dict[str, NodeProto] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes_a = named(self.place.part_a.nodes)
        self.nodes_b = named(self.place.part_b.nodes)

    def twin(self, name: str) -> NodeProto | None:
        """A's node for one of B's, of this part or of another."""
        to = self.twins.get(name)
        return self.a.writers.get(to) if to is not None else None

    def alike(self) -> Iterator[tuple[str, NodeProto, NodeProto]]:
        """(its name, B's node, A's node) of nodes that compute the same operator: pairs first, then
        others of this part.
        """
        seen = set()
        for name, node in self.nodes_b.items():
            twin = self.twin(name)
            if twin is not None and twin.op_type == node.op_type:
                seen.add((name, twin.output[0]))
                yield name, node, twin
        for name, node in self.nodes_b.items():
            for other, twin in self.nodes_a.items():
                if twin.op_type == node.op_type and (name, other) not in seen:
                    yield name, node, twin

    def constant_a(self, name: str) -> np.ndarray | None:
        """What A has stored, or computes of what it has stored."""
        if name in self.a.stored:
            return array(self.a.stored[name])
        return self.constants_a.get(name)

    def constant_b(self, name: str) -> np.ndarray | None:
        if name in self.b.stored:
            return array(self.b.stored[name])
        return self.constants_b.get(name)

    @property
    def alone_b(self) -> dict[str, NodeProto]:
        """B's nodes of this part without a partner of the same operator in A's."""
        own = {
            name: node
            for name, node in self.nodes_b.items()
            if (twin := self.twin(name)) is None or twin.op_type != node.op_type
        }
        return own or dict(self.nodes_b)

    @property
    def alone_a(self) -> dict[str, NodeProto]:
        partners = {self.twins[name] for name in self.nodes_b if name in self.twins}
        return {name: node for name, node in self.nodes_a.items() if name not in partners}


def array(tensor: TensorProto) -> np.ndarray:
    return numpy_helper.to_array(tensor)


def candidates(region: Region) -> Iterator[Repair]:
    """Repairs of this part, those that say most first."""
    for source in (
        _training,
        _opsets,
        _settings,
        _inside,
        _casts,
        _weights,
        _scalars,
        _folds,
        _operators,
        _bypassed,
        _missing,
        _prepared,
        _rewired,
        _reordered,
        _offsets,
    ):
        yield from itertools.islice(source(region), MOST)


# Edits.


def find(model: ModelProto, name: str) -> NodeProto | None:
    return next((node for node in model.graph.node if name in node.output), None)


def set_attribute(node: NodeProto, name: str, like: AttributeProto | None) -> None:
    kept = [each for each in node.attribute if each.name != name]
    copies = [AttributeProto.FromString(each.SerializeToString()) for each in kept]
    if like is not None:
        copies.append(AttributeProto.FromString(like.SerializeToString()))
    del node.attribute[:]
    node.attribute.extend(copies)


def put(model: ModelProto, name: str, value: np.ndarray) -> None:
    """Give the initializer other numbers, or put one in place of what computes a constant."""
    new = numpy_helper.from_array(np.ascontiguousarray(value), name)
    for tensor in model.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(new)
            return
    node = find(model, name)
    if node is not None:
        node.output[:] = [f"{each}/replaced" if each == name else each for each in node.output]
        model.graph.initializer.append(new)


def bypass(model: ModelProto, name: str, source: str) -> None:
    """Let the node hand on one of the values that it reads."""
    node = find(model, name)
    if node is not None:
        node.CopyFrom(helper.make_node("Identity", [source], [name], name=node.name))


def insert_before(model: ModelProto, reader: str, port: int, node: NodeProto) -> None:
    """Put a node in front of an input of another one; it gets its first input from there."""
    at = next((at for at, each in enumerate(model.graph.node) if reader in each.output), None)
    if at is None:
        return
    nodes = [NodeProto.FromString(each.SerializeToString()) for each in model.graph.node]
    new = NodeProto.FromString(node.SerializeToString())
    value = nodes[at].input[port]
    new.input[:] = [value if each == "@" else each for each in new.input]
    nodes[at].input[port] = new.output[0]
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:at], new, *nodes[at:]])


# Training mode.


def _training(region: Region) -> Iterator[Repair]:
    for name, node in region.nodes_b.items():
        yield from _of_training(name, node, region.b)


def _of_training(name: str, node: NodeProto, model: Whole) -> Iterator[Repair]:
    if node.op_type == "Dropout":
        mode = model.stored.get(node.input[2]) if len(node.input) > 2 else None
        if mode is not None and array(mode).any():
            yield Repair(
                kind="training-mode",
                node=name,
                text="a Dropout is in training mode, so that it drops numbers at random",
                edit=partial(bypass, name=name, source=node.input[0]),
                done="with the Dropout in evaluation mode",
            )
    if node.op_type == "BatchNormalization" and _value(node, "training_mode"):
        yield Repair(
            kind="training-mode",
            node=name,
            text="a BatchNormalization is in training mode, so that it uses the mean and variance of its inputs",
            edit=partial(_evaluate, name=name),
            done="with the mean and variance that it has learned",
        )


def in_training(model: Whole) -> list[Repair]:
    """Return what puts each Dropout and BatchNormalization of a model that is in training mode into
    evaluation mode.
    """
    return [
        repair
        for name, node in named(model.proto.graph.node).items()
        for repair in _of_training(name, node, model)
    ]


def _evaluate(model: ModelProto, name: str) -> None:
    node = find(model, name)
    if node is not None:
        set_attribute(node, "training_mode", None)
        del node.output[1:]


def _value(node: NodeProto, name: str) -> object:
    return next(
        (helper.get_attribute_value(each) for each in node.attribute if each.name == name), None
    )


# Opsets.


def _opsets(region: Region) -> Iterator[Repair]:
    mine = graphs.opset(region.a.proto)
    theirs = graphs.opset(region.b.proto)
    if mine == theirs:
        return
    for name, node in region.nodes_b.items():
        if graphs.domain(node.domain) or not _changed(node.op_type, mine, theirs):
            continue
        yield Repair(
            kind="opset",
            node=name,
            text=f"{node.op_type} has another meaning in opset {theirs}, which B declares, than in A's {mine}",
            edit=lambda model: _declare(model, mine),
            done=f"with opset {mine} declared",
        )
        return


def _changed(operator: str, one: int, other: int) -> bool:
    try:
        found = {onnx.defs.get_schema(operator, each, "").since_version for each in (one, other)}
    except onnx.defs.SchemaError:
        return False
    return len(found) > 1


def _declare(model: ModelProto, version: int) -> None:
    for entry in model.opset_import:
        if graphs.domain(entry.domain) == "":
            entry.version = version


def _put_all(model: ModelProto, values: Mapping[str, np.ndarray]) -> None:
    for name, value in values.items():
        put(model, name, value)


# Attributes.

# Of attributes that are more than a setting; all others are of the kind "attribute".
KINDS = {
    ("Transpose", "perm"): "layout",
    ("DepthToSpace", "mode"): "layout",
    ("Cast", "to"): "cast",
    ("BatchNormalization", "training_mode"): "training-mode",
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """An attribute, or a constant input, that a node of B and the same one of A do not share. `has` and
    `wants` are B's and A's as they are said, `edit` gives a node of B's model A's.
    """

    name: str
    kind: str
    has: str
    wants: str
    edit: Callable[[ModelProto], None]


def _settings(region: Region) -> Iterator[Repair]:
    """Each setting that differs by itself, and all of a node together."""
    for name, node, twin in region.alike():
        differ = [
            *(
                _attribute(name, node, twin, each)
                for each in differing(node, twin, region.b, region.a)
            ),
            *_inputs(region, name, node, twin),
        ]
        for each in differ:
            yield Repair(
                kind=each.kind,
                node=name,
                text=f"{quoted(each.name)} of {node.op_type} is {each.has} in B and {each.wants} in A",
                edit=each.edit,
                done=f"with A's {quoted(each.name)}",
            )
        if len(differ) > 1:
            yield Repair(
                kind="attribute",
                node=name,
                text=f"{len(differ)} attributes of {node.op_type} differ: {', '.join(quoted(each.name) for each in differ)}",
                edit=partial(_set_all, settings=differ),
                done="with A's attributes",
            )


def _set_all(model: ModelProto, settings: Sequence[Setting]) -> None:
    for each in settings:
        each.edit(model)


def _attribute(name: str, node: NodeProto, twin: NodeProto, attribute: str) -> Setting:
    shown = _type if (node.op_type, attribute) == ("Cast", "to") else _shown
    return Setting(
        name=attribute,
        kind=KINDS.get((node.op_type, attribute), "attribute"),
        has=shown(_value(node, attribute)),
        wants=shown(_value(twin, attribute)),
        edit=partial(_take, name=name, twin=twin, attribute=attribute),
    )


def _take(model: ModelProto, name: str, twin: NodeProto, attribute: str) -> None:
    node = find(model, name)
    if node is not None:
        like = next((each for each in twin.attribute if each.name == attribute), None)
        set_attribute(node, attribute, like)


def _shown(value: object) -> str:
    if value is None:
        return "left out"
    if isinstance(value, bytes):
        return quoted(value.decode("utf-8", "replace"))
    if isinstance(value, (list, tuple)):
        texts = [
            each.decode("utf-8", "replace") if isinstance(each, bytes) else each for each in value
        ]
        return plain(str(texts))
    return number(value)


def differing(node: NodeProto, twin: NodeProto, b: Whole, a: Whole) -> list[str]:
    """Return the names of attributes that a node of B and the same one of A do not share."""
    names = {
        each.name
        for each in (*node.attribute, *twin.attribute)
        if each.type not in (AttributeProto.GRAPH, AttributeProto.GRAPHS)
    }
    return [
        name
        for name in sorted(names)
        if _takes(node, name, b)
        and _shown_full(_effective(node, name, b)) != _shown_full(_effective(twin, name, a))
    ]


def _schema(node: NodeProto, model: Whole) -> onnx.defs.OpSchema | None:
    if graphs.domain(node.domain):
        return None
    try:
        return onnx.defs.get_schema(node.op_type, graphs.opset(model.proto), "")
    except onnx.defs.SchemaError:
        return None


def _takes(node: NodeProto, attribute: str, model: Whole) -> bool:
    """Does the operator have this attribute in the opset that the model declares?"""
    schema = _schema(node, model)
    return schema is None or attribute in schema.attributes


def _effective(node: NodeProto, name: str, model: Whole) -> object:
    value = _value(node, name)
    schema = _schema(node, model) if value is None else None
    if schema is not None and name in schema.attributes:
        default = schema.attributes[name].default_value
        if default.name:
            return helper.get_attribute_value(default)
    return value


def _shown_full(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, (bytes, str)):
        return repr(list(value))
    return repr(value)


# Attributes that newer opsets take as inputs: the starts of a Slice, the pads of a Pad.

REDUCES = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
PARAMETRIC = frozenset(
    {"Slice", "Pad", "Resize", "Squeeze", "Unsqueeze", "Tile", "Expand", "TopK", "Split", "CumSum"}
    | {"Clip", "Trilu", "OneHot", "Upsample"}
    | {f"Reduce{name}" for name in REDUCES}
)


def _inputs(region: Region, name: str, node: NodeProto, twin: NodeProto) -> Iterator[Setting]:
    """Constant inputs that say how a node computes: all of some operators, a whole number of any, and a
    bias that one of the two leaves out.
    """
    for port in range(0 if node.op_type == "Loop" else 1, max(len(node.input), len(twin.input))):
        source = node.input[port] if port < len(node.input) else ""
        other = twin.input[port] if port < len(twin.input) else ""
        has = region.constant_b(source) if source else None
        wants = region.constant_a(other) if other else None
        if (source and has is None) or (other and wants is None) or (has is None and wants is None):
            continue
        is_setting = node.op_type in PARAMETRIC or (_is_whole(has) and _is_whole(wants))
        if has is None or wants is None or (is_setting and not np.array_equal(has, wants)):
            yield Setting(
                name=_port(region, node, port),
                kind="attribute" if is_setting else "weight",
                has=_said(has),
                wants=_said(wants),
                edit=partial(_take_input, name=name, port=port, value=wants),
            )


def _is_whole(value: np.ndarray | None) -> bool:
    return value is not None and value.size == 1 and value.dtype.kind in "iu"


def _port(region: Region, node: NodeProto, port: int) -> str:
    schema = _schema(node, region.b)
    return schema.inputs[port].name if schema and port < len(schema.inputs) else f"input {port}"


def _said(value: np.ndarray | None) -> str:
    return "left out" if value is None else plain(str(value.tolist()), 60)


def _take_input(model: ModelProto, name: str, port: int, value: np.ndarray | None) -> None:
    """Other readers of the same initializer keep theirs."""
    node = find(model, name)
    if node is None:
        return
    node.input.extend([""] * (port + 1 - len(node.input)))
    node.input[port] = "" if value is None else f"{name}/{port}/a"
    if value is not None:
        model.graph.initializer.append(
            numpy_helper.from_array(np.ascontiguousarray(value), node.input[port])
        )
    while node.input and not node.input[-1]:
        node.input.pop()


# Inside of If and Loop.


def _inside(region: Region) -> Iterator[Repair]:
    for name, node in region.nodes_b.items():
        twin = region.twin(name)
        graphs_b = graphs.named_subgraphs(node)
        if twin is None or not graphs_b or twin.op_type != node.op_type:
            continue
        graphs_a = dict(graphs.named_subgraphs(twin))
        for attribute, inner in graphs_b:
            other = graphs_a.get(attribute)
            if other is not None:
                yield from _inner(region, name, attribute, _Inner(inner, other))


@dataclass
class _Inner:
    b: GraphProto
    a: GraphProto

    def pairs(self) -> Iterator[tuple[int, NodeProto, NodeProto]]:
        """Nodes of the same operator, each operator's in their own order."""
        left: dict[str, list[NodeProto]] = {}
        for node in self.a.node:
            left.setdefault(node.op_type, []).append(node)
        for at, node in enumerate(self.b.node):
            if left.get(node.op_type):
                yield at, node, left[node.op_type].pop(0)


def _inner(region: Region, name: str, attribute: str, inner: _Inner) -> Iterator[Repair]:
    for at, node, twin in inner.pairs():
        for each in differing(node, twin, region.b, region.a):
            has = _shown(_effective(node, each, region.b))
            wants = _shown(_effective(twin, each, region.a))
            yield Repair(
                kind="attribute",
                node=name,
                text=f"{quoted(each)} of {node.op_type} {quoted(node.output[0])}, inside of `{attribute}`, is {has} in B and {wants} in A",
                edit=partial(
                    _take_inside,
                    name=name,
                    attribute=attribute,
                    taken=_Taken(at=at, twin=twin, attribute=each),
                ),
                done=f"with A's {quoted(each)}",
            )
    yield from _inner_operators(name, attribute, inner)
    stored = {tensor.name: tensor for tensor in inner.a.initializer}
    pairs = list(inner.pairs())
    for _, node, twin in pairs:
        for port, source in enumerate(node.input[: len(twin.input)]):
            mine = next((each for each in inner.b.initializer if each.name == source), None)
            theirs = stored.get(twin.input[port])
            if mine is None or theirs is None or mine.dims != theirs.dims:
                continue
            if not np.array_equal(array(mine), array(theirs)):
                yield Repair(
                    kind="weight",
                    node=name,
                    text=f"the weight {quoted(source)} inside of `{attribute}` has other numbers than A's",
                    edit=partial(
                        _put_inside, name=name, attribute=attribute, weight=(source, array(theirs))
                    ),
                    done="with A's numbers",
                )


def _inner_operators(name: str, attribute: str, inner: _Inner) -> Iterator[Repair]:
    """Two graphs of as many nodes, of which some have another operator at the same place."""
    if len(inner.b.node) != len(inner.a.node):
        return
    for at, (node, twin) in enumerate(zip(inner.b.node, inner.a.node, strict=True)):
        if node.op_type != twin.op_type and len(node.input) == len(twin.input):
            yield Repair(
                kind="operator",
                node=name,
                text=f"inside of `{attribute}`, {quoted(node.output[0])} is computed by {plain(node.op_type)} in B "
                f"and by {plain(twin.op_type)} in A",
                edit=partial(_become_inside, name=name, attribute=attribute, at=at, twin=twin),
                done=f"with A's {plain(twin.op_type)}",
                is_structural=True,
            )


def _become_inside(model: ModelProto, name: str, attribute: str, at: int, twin: NodeProto) -> None:
    graph = _graph(model, name, attribute)
    if graph is not None:
        node = graph.node[at]
        node.op_type = twin.op_type
        node.domain = twin.domain
        del node.attribute[:]
        node.attribute.extend(twin.attribute)


@dataclass(frozen=True, kw_only=True)
class _Taken:
    at: int
    twin: NodeProto
    attribute: str


def _graph(model: ModelProto, name: str, attribute: str) -> GraphProto | None:
    node = find(model, name)
    return None if node is None else dict(graphs.named_subgraphs(node)).get(attribute)


def _take_inside(model: ModelProto, name: str, attribute: str, taken: _Taken) -> None:
    graph = _graph(model, name, attribute)
    if graph is not None:
        like = next((each for each in taken.twin.attribute if each.name == taken.attribute), None)
        set_attribute(graph.node[taken.at], taken.attribute, like)


def _put_inside(
    model: ModelProto, name: str, attribute: str, weight: tuple[str, np.ndarray]
) -> None:
    graph = _graph(model, name, attribute)
    for tensor in graph.initializer if graph is not None else ():
        if tensor.name == weight[0]:
            tensor.CopyFrom(numpy_helper.from_array(weight[1], weight[0]))


# Casts.

FLOATS = {TensorProto.FLOAT, TensorProto.DOUBLE}
FEW = {TensorProto.FLOAT16, TensorProto.BFLOAT16}


def _casts(region: Region) -> Iterator[Repair]:
    casts = {name: node for name, node in region.nodes_b.items() if node.op_type == "Cast"}
    to = {name: _value(node, "to") for name, node in casts.items()}
    rounding = [name for name in casts if to[name] in FEW]
    for name in rounding:
        back = [
            other for other, node in casts.items() if node.input[0] == name and to[other] in FLOATS
        ]
        if back:
            yield Repair(
                kind="cast",
                node=name,
                text=f"a Cast rounds to {TensorProto.DataType.Name(int(str(to[name])))} and another one casts back",
                edit=partial(_uncast, first=name, back=back),
                done="without the two Casts",
            )
    whole = [
        name
        for name in casts
        if isinstance(to[name], int) and to[name] not in FEW and to[name] not in FLOATS
    ]
    for name in whole:
        for operator in ("Round", "Floor", "Ceil"):
            yield Repair(
                kind="cast",
                node=name,
                text=f"a Cast to {TensorProto.DataType.Name(int(str(to[name])))} cuts the digits off, where A has {operator}",
                edit=partial(
                    insert_before,
                    reader=name,
                    port=0,
                    node=helper.make_node(operator, ["@"], [f"{name}/{operator}"]),
                ),
                done=f"with a {operator} before the Cast",
            )
        back = [other for other, node in casts.items() if node.input[0] == name]
        if back:
            yield Repair(
                kind="cast",
                node=name,
                text=f"a Cast to {TensorProto.DataType.Name(int(str(to[name])))} cuts the digits off, and another one casts back",
                edit=partial(_uncast, first=name, back=back),
                done="without the two Casts",
            )


def _type(number_of_type: object) -> str:
    return TensorProto.DataType.Name(int(str(number_of_type)))


def _uncast(model: ModelProto, first: str, back: list[str]) -> None:
    node = find(model, first)
    if node is None:
        return
    source = node.input[0]
    for other in back:
        bypass(model, other, source)


# Weights.


def _weights(region: Region) -> Iterator[Repair]:
    """B's tensors by A's, one at a time, then all of them."""
    found = list(_unequal(region))
    yield from (repair for repair, _ in found)
    firsts = {name: value for repair, (name, value) in reversed(found)}
    if len(firsts) > 1:
        kinds = {repair.kind for repair, _ in found}
        first = found[0][0]
        shown = [quoted(name) for name in firsts]
        text = f"{len(firsts)} weights have other numbers: {', '.join(shown)}"
        if _are_exchanged(region, firsts):
            text = f"the weights {joined(shown)} have changed places"
        yield Repair(
            kind=kinds.pop() if len(kinds) == 1 else "weight",
            node=first.node,
            text=text,
            edit=partial(_put_all, values=firsts),
            done="with A's numbers",
        )


def _are_exchanged(region: Region, wanted: Mapping[str, np.ndarray]) -> bool:
    """Would each of B's weights get the numbers of another one of them?"""
    stored = _stored(region.place.part_b, region.constants_b)
    return all(
        any(np.array_equal(value, stored[other]) for other in wanted if other != name)
        for name, value in wanted.items()
    )


def _unequal(region: Region) -> Iterator[tuple[Repair, tuple[str, np.ndarray]]]:
    mine = _stored(region.place.part_a, region.constants_a)
    for name, value in _stored(region.place.part_b, region.constants_b).items():
        reader = _reader(
            {at: node for at, node in region.nodes_b.items() if at not in region.constants_b}, name
        )
        if value.size <= SCALAR or reader is None:
            continue
        node = region.nodes_b[reader]
        if node.op_type in PARAMETRIC and name in node.input[1:]:
            continue  # an attribute that is an input
        options = [(other, array_a) for other, array_a in mine.items() if _fits(array_a, value)]
        at_port = _at_same_port(region, reader, name)
        if at_port in mine:
            if np.array_equal(mine[at_port], value):
                continue
        elif any(np.array_equal(each, value) for _, each in options):
            continue
        options.sort(key=lambda each: (each[0] != at_port, -_likeness(each[1], value)))
        for other, array_a in options:
            for how, new in _forms(array_a, value):
                if np.array_equal(new, value):
                    continue
                kind, text = _what_became(name, value, new)
                if node.op_type == "Reshape" and name in reads(node)[1:]:
                    kind = "layout"
                    text = f"the Reshape {quoted(reader)} gives {plain(str(value.tolist()))} in B and {plain(str(new.tolist()))} in A"
                repair = Repair(
                    kind=kind,
                    node=reader,
                    text=text,
                    edit=partial(put, name=name, value=new),
                    weights=((name, other, how),),
                    done=f"with the numbers of A's {quoted(other)}",
                )
                yield repair, (name, new)


def _at_same_port(region: Region, reader: str, weight: str) -> str:
    """The weight of A that the same node reads in the same place; empty where there is none."""
    node = region.nodes_b[reader]
    twin = region.twin(reader)
    if twin is None or twin.op_type != node.op_type or weight not in node.input:
        return ""
    port = list(node.input).index(weight)
    return twin.input[port] if port < len(twin.input) else ""


def _stored(part: Part, constants: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = {
        tensor.name: array(tensor)
        for tensor in part.stored
        if tensor.data_type != TensorProto.STRING
    }
    written = {name for node in part.nodes for name in node.output}
    return found | {name: value for name, value in constants.items() if name in written}


def constants(model: Whole) -> dict[str, np.ndarray]:
    """Return the values that nodes compute of weights alone, as far as they are small."""
    from formatlab.why import runs

    known = set(model.stored)
    names = []
    for node in model.proto.graph.node:
        if all(name in known for name in reads(node)) and reads(node):
            known.update(node.output)
            names += [name for name in node.output if name]
    if not names:
        return {}
    part = model.part(names[-LARGEST_CONSTANTS:], ())
    try:
        [found] = runs.run(part.model({}), [{}])
    except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return {}
    return {
        name: value
        for name, value in zip(part.outputs, found, strict=True)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiu"
    }


def _reader(nodes: Mapping[str, NodeProto], weight: str) -> str | None:
    return next((name for name, node in nodes.items() if weight in reads(node)), None)


def _fits(one: np.ndarray, other: np.ndarray) -> bool:
    same_kind = one.dtype.kind == other.dtype.kind
    return same_kind and one.size == other.size and sorted(one.shape) == sorted(other.shape)


def _likeness(one: np.ndarray, other: np.ndarray) -> float:
    """How much of one tensor is in another, whatever the order: from 0 to 1."""
    if one.dtype.kind not in "fiu" or not one.size:
        return 0.0
    first = np.sort(one.reshape(-1).astype(np.float64))
    second = np.sort(other.reshape(-1).astype(np.float64))
    scale = float(np.abs(first).max()) or 1.0
    return 1 - min(1.0, float(np.abs(first - second).mean()) / scale)


def _forms(mine: np.ndarray, like: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """A's tensor in the shape and type of B's."""
    if mine.shape == like.shape:
        yield "kept", mine.astype(like.dtype)
        if mine.ndim == 2 and mine.shape[0] == mine.shape[1]:
            yield "transposed", mine.T.astype(like.dtype)
    elif mine.ndim == 2 and mine.T.shape == like.shape:
        yield "transposed", mine.T.astype(like.dtype)
    else:
        yield "reshaped", mine.reshape(like.shape).astype(like.dtype)


def _transposes(mine: np.ndarray, value: np.ndarray) -> bool:
    """Is it the same tensor with its axes in another order, perhaps in another shape?"""
    if not 2 <= mine.ndim <= 4:
        return False
    orders = list(itertools.permutations(range(mine.ndim)))[1:]
    return any(np.array_equal(mine.transpose(axes).reshape(value.shape), value) for axes in orders)


def _what_became(name: str, value: np.ndarray, new: np.ndarray) -> tuple[str, str]:
    shown = f"the weight {quoted(name)}"
    if _transposes(new, value):
        return "layout", f"{shown} is A's, transposed"
    if value.size > 2 and np.array_equal(np.sort(value, axis=None), np.sort(new, axis=None)):
        return "layout", f"{shown} has A's numbers in another order"
    # Two exporters fold the same weights with another last bit.
    noise = 1e-6 * float(np.abs(new).max(initial=0)) if new.dtype.kind == "f" else 0
    differ = int((np.abs(value.astype(np.float64) - new) > noise).sum())
    apart = float(np.abs(value.astype(np.float64) - new).max())
    return (
        "weight",
        f"{differ} of the {value.size} numbers of {shown} differ from A's, by {apart:.3g} at most",
    )


# Parameters of a formula: numbers in B, attributes or numbers in A.


def _scalars(region: Region) -> Iterator[Repair]:
    wanted = dict(_numbers(region.nodes_a, region.place.part_a))
    has = {
        name: value
        for tensor in region.place.part_b.stored
        if (name := tensor.name) and (value := _one_number(tensor)) is not None
    }
    known = {float(value.reshape(-1)[0]) for value in has.values()}
    for name, value in has.items():
        reader = _reader(region.nodes_b, name)
        if reader is None:
            continue
        mine = float(value.reshape(-1)[0])
        if math.isinf(mine):
            yield from _ended(region, name, value, reader)
        for said, target in _targets(wanted, known, mine):
            new = np.full(value.shape, target, value.dtype)
            if not np.array_equal(new, value):
                yield Repair(
                    kind="attribute",
                    node=reader,
                    text=f"the number {quoted(name)} of {region.nodes_b[reader].op_type} is {mine:.4g} in B, and {said} in A",
                    edit=partial(put, name=name, value=new),
                    done=f"with {target:.4g}",
                )
    for name, node in region.nodes_b.items():
        for attribute in node.attribute:
            if attribute.type != AttributeProto.FLOAT:
                continue
            for said, target in _targets(wanted, known, attribute.f):
                if np.float32(target) != np.float32(attribute.f):
                    like = helper.make_attribute(attribute.name, float(target))
                    yield Repair(
                        kind="attribute",
                        node=name,
                        text=f"{quoted(attribute.name)} of {node.op_type} is {attribute.f:.4g} in B, and {said} in A",
                        edit=partial(_set, name=name, like=like),
                        done=f"with {target:.4g}",
                    )


def _ended(region: Region, name: str, value: np.ndarray, reader: str) -> Iterator[Repair]:
    """A number of A that B's type does not hold, so that it became infinite."""
    end = np.copysign(np.finfo(value.dtype).max, value.reshape(-1)[0])
    beyond = [
        float(array(tensor).reshape(-1)[0])
        for tensor in region.place.part_a.stored
        if (mine := _one_number(tensor)) is not None
        and np.isfinite(mine).all()
        and abs(float(mine.reshape(-1)[0])) > abs(float(end))
        and np.sign(mine.reshape(-1)[0]) == np.sign(end)
    ]
    for number_of_a in beyond[:1]:
        yield Repair(
            kind="float16-overflow",
            node=reader,
            text=f"the number {quoted(name)} of {region.nodes_b[reader].op_type} is {number_of_a:.4g} in A, "
            f"beyond what {plain(str(value.dtype))} holds, and became infinite in B",
            edit=partial(put, name=name, value=np.full(value.shape, end, value.dtype)),
            done=f"with {float(end):.5g}",
        )


def _one_number(tensor: TensorProto) -> np.ndarray | None:
    """The numbers of a tensor that has one, or the same one everywhere, as a slope for each channel."""
    value = array(tensor) if tensor.data_type != TensorProto.STRING else np.zeros(0)
    is_one = value.dtype.kind == "f" and value.size and (value == value.reshape(-1)[0]).all()
    return value if is_one else None


def _set(model: ModelProto, name: str, like: AttributeProto) -> None:
    node = find(model, name)
    if node is not None:
        set_attribute(node, like.name, like)


def _numbers(nodes: Mapping[str, NodeProto], part: Part) -> Iterator[tuple[str, float]]:
    for node in nodes.values():
        for attribute in node.attribute:
            if attribute.type == AttributeProto.FLOAT:
                yield f"`{attribute.name}` of {node.op_type} is", attribute.f
        if not graphs.domain(node.domain):
            yield from _defaults(node)
    for tensor in part.stored:
        if math.prod(tensor.dims) == 1 and tensor.data_type in (
            TensorProto.FLOAT,
            TensorProto.DOUBLE,
        ):
            yield f"{quoted(tensor.name)} is", float(array(tensor).reshape(-1)[0])


def _defaults(node: NodeProto) -> Iterator[tuple[str, float]]:
    if not onnx.defs.has(node.op_type):
        return
    stated = {attribute.name for attribute in node.attribute}
    for name, attribute in onnx.defs.get_schema(node.op_type).attributes.items():
        if attribute.default_value.type == AttributeProto.FLOAT and name not in stated:
            yield f"`{name}` of {node.op_type} is", attribute.default_value.f


def _targets(
    wanted: Mapping[str, float], known: set[float], mine: float
) -> Iterator[tuple[str, float]]:
    for said, value in wanted.items():
        yield f"{said} {value:.4g}", value
    for said, value in wanted.items():
        if value > 0 and value not in known and mine:
            yield f"{said} {value:.4g}, of which this is the inverse", 1 / value
            yield f"{said} {value:.4g}, of which this is the square root", math.sqrt(value)
            yield f"{said} {value:.4g}, of which this is the square", value**2
            yield f"{said} {value:.4g}, of which this is the inverse square root", value**-0.5


# A fold, done again.

LINEAR = {"Conv": 0, "ConvTranspose": 1, "Gemm": 0, "MatMul": -1}
AFFINE = {"BatchNormalization", "Mul", "Add", "Sub", "Div"}


@dataclass(frozen=True, kw_only=True)
class Fold:
    """What A's linear node and what stands behind it give as one: `values` by the names of B's weights.
    `node` is B's, `reader` the first name that it writes.
    """

    values: dict[str, np.ndarray]
    node: NodeProto
    reader: str
    first: NodeProto


def folded(region: Region) -> Fold | None:
    """Return the weights that a right fold has, in float64. B has one Conv, Gemm or MatMul where A has one
    and an affine map behind it; None where that is not so.
    """
    linear_a = [node for node in region.nodes_a.values() if node.op_type in LINEAR]
    linear_b = [(name, node) for name, node in region.nodes_b.items() if node.op_type in LINEAR]
    if len(linear_a) != 1 or len(linear_b) != 1:
        return None
    [one] = linear_a
    [(name, node)] = linear_b
    weight = region.b.stored.get(node.input[1])
    weight_a = region.a.stored.get(one.input[1])
    affine = _affine(region, one)
    if weight is None or weight_a is None or weight.dims != weight_a.dims or affine is None:
        return None
    scale, shift = affine
    numbers = array(weight_a).astype(np.float64)
    axis = _axis(one)
    channels = numbers.shape[axis]
    if scale.size not in (1, channels) or shift.size not in (1, channels):
        return None
    shape = [1] * numbers.ndim
    shape[axis] = scale.size
    values = {weight.name: numbers * scale.reshape(shape)}
    if len(node.input) > 2 and node.input[2] in region.b.stored:
        bias = np.zeros(1)
        if len(one.input) > 2 and one.input[2] in region.a.stored:
            bias = array(region.a.stored[one.input[2]]).astype(np.float64)
        values[node.input[2]] = np.broadcast_to(bias * scale + shift, (channels,))
    return Fold(values=values, node=node, reader=name, first=one)


def _folds(region: Region) -> Iterator[Repair]:
    fold = folded(region)
    if fold is None:
        return
    stored = {name: array(region.b.stored[name]) for name in fold.values}

    def edit(model: ModelProto) -> None:
        for name, value in fold.values.items():
            put(model, name, value.astype(stored[name].dtype))

    name, value = max(
        fold.values.items(), key=lambda each: float(np.abs(stored[each[0]] - each[1]).max())
    )
    worst = float(np.abs(stored[name] - value).max() / max(float(np.abs(value).max()), 1e-30))
    followers = ", ".join(dict.fromkeys(each.op_type for each in _tail(region, fold.first)))
    yield Repair(
        kind="weight",
        node=fold.reader,
        text=f"the weight {quoted(name)} of {fold.node.op_type} is not what A's {fold.first.op_type} and {followers} "
        f"give when they are folded: it is off by {worst:.2g} of its largest number",
        edit=edit,
        done="folded again from A in float64",
    )


def _axis(node: NodeProto) -> int:
    if node.op_type == "Gemm":
        return 0 if _value(node, "transB") else 1
    return LINEAR[node.op_type]


def _tail(region: Region, first: NodeProto) -> list[NodeProto]:
    found: list[NodeProto] = []
    value = first.output[0]
    while True:
        readers = [node for node in region.nodes_a.values() if value in node.input]
        if len(readers) != 1 or readers[0].op_type not in AFFINE:
            return found
        found.append(readers[0])
        value = readers[0].output[0]


def _affine(region: Region, first: NodeProto) -> tuple[np.ndarray, np.ndarray] | None:
    """(scale, shift), for each channel, of what stands behind the linear node in A."""
    scale = np.ones(1)
    shift = np.zeros(1)
    value = first.output[0]
    tail = _tail(region, first)
    if not tail:
        return None
    for node in tail:
        weights = [
            array(region.a.stored[name]).astype(np.float64)
            for name in node.input
            if name in region.a.stored
        ]
        if node.op_type == "BatchNormalization":
            if len(weights) != 4:
                return None
            gamma, beta, mean, variance = weights
            epsilon = _value(node, "epsilon")
            by = gamma / np.sqrt(variance + (1e-5 if epsilon is None else float(str(epsilon))))
            scale = scale * by
            shift = (shift - mean) * by + beta
        else:
            if len(weights) != 1 or (node.op_type in ("Sub", "Div") and node.input[0] != value):
                return None
            by = weights[0].reshape(-1)
            if node.op_type == "Mul":
                scale = scale * by
                shift = shift * by
            elif node.op_type == "Div":
                scale = scale / by
                shift = shift / by
            else:
                shift = shift + (by if node.op_type == "Add" else -by)
        value = node.output[0]
    return scale, shift


# Nodes that one side has alone.

ELEMENTWISE = frozenset(
    {"Mul", "Div", "Add", "Sub", "Clip", "Relu", "Transpose", "Neg", "Abs", "Sqrt", "Identity"}
    | {"Tanh", "Sigmoid", "Softmax", "LayerNormalization", "Round", "Floor", "Ceil", "Cast"}
    | {"Gather", "Slice", "Pad", "Resize", "BatchNormalization", "Where", "Reshape", "Not"}
)


def _is_at_input(model: Whole, name: str) -> bool:
    """Is this value only an input that was moved or scaled?"""
    for _ in range(8):
        if name in model.inputs:
            return True
        node = model.writers.get(name)
        if node is None or node.op_type not in ELEMENTWISE:
            return False
        dynamic = [each for each in reads(node) if each not in model.stored]
        if len(dynamic) != 1:
            return False
        [name] = dynamic
    return False


def _bypassed(region: Region) -> Iterator[Repair]:
    """Without a node that only B has."""
    for name, node in region.alone_b.items():
        if node.op_type not in ELEMENTWISE or name in region.twins:
            continue
        for source in node.input:
            if source and source not in region.b.stored:
                is_input = _is_at_input(region.b, source)
                yield Repair(
                    kind=_kind_of_extra(node, is_input),
                    node=name,
                    text=f"B {_described(node, region.b, is_input)}, and A does not",
                    edit=partial(bypass, name=name, source=source),
                    done=f"without this {node.op_type}",
                    is_structural=True,
                )


def _kind_of_extra(node: NodeProto, is_input: bool) -> str:
    if node.op_type == "BatchNormalization" and _value(node, "training_mode"):
        return "training-mode"
    return "cast" if node.op_type == "Cast" else "inputs" if is_input else "operator"


def _prepared(region: Region) -> Iterator[Repair]:
    """Without all nodes by which B prepares an input and A does not: a mean and a deviation are two."""
    for name in region.alone_b:
        chain = _chain(region.b, name, region.alone_b)
        if len(chain) > 1 and not any(each in region.twins for each in chain):
            first = region.b.writers[chain[0]]
            [source] = [each for each in reads(first) if each not in region.b.stored]
            yield Repair(
                kind="inputs",
                node=chain[0],
                text=f"B {_all_described(chain, region.b)}, and A does not",
                edit=partial(bypass, name=name, source=source),
                done="without these nodes",
                is_structural=True,
            )
    for name in region.alone_a:
        chain = _chain(region.a, name, region.alone_a)
        if len(chain) < 2:
            continue
        for reader, other in region.nodes_b.items():
            for port, source in enumerate(other.input):
                if source in region.b.inputs:
                    yield Repair(
                        kind="inputs",
                        node=reader,
                        text=f"A {_all_described(chain, region.a)}, and B does not",
                        edit=partial(_all_added, where=(reader, port), chain=chain, a=region.a),
                        done="with these nodes in front of it",
                        is_structural=True,
                    )


def _chain(model: Whole, name: str, alone: Mapping[str, NodeProto]) -> list[str]:
    """The nodes from an input of the model to this value, if one side has all of them alone."""
    found: list[str] = []
    while name not in model.inputs:
        node = alone.get(name)
        if node is None or node.op_type not in ELEMENTWISE or len(found) > MOST_IN_CHAIN:
            return []
        found.append(name)
        dynamic = {each for each in reads(node) if each not in model.stored}
        if len(dynamic) != 1:
            return []
        [name] = dynamic
    return found[::-1]


def _all_described(chain: list[str], model: Whole) -> str:
    said = [_described(model.writers[name], model, at == 0) for at, name in enumerate(chain)]
    return ", ".join([said[0], *(each.replace("a value", "that") for each in said[1:])])


def _all_added(model: ModelProto, where: tuple[str, int], chain: list[str], a: Whole) -> None:
    reader, port = where
    for at, name in enumerate(chain):
        node = a.writers[name]
        extra = [a.stored[each] for each in node.input if each in a.stored]
        _added(model, reader, port, (node, extra))
        inserted = find(model, f"{reader}/{port}/inserted")
        reads_it = find(model, reader)
        if inserted is not None and reads_it is not None:
            inserted.output[0] = f"{reader}/{port}/inserted/{at}"
            reads_it.input[port] = inserted.output[0]


VERBS = {
    "Div": "divides {} by",
    "Mul": "multiplies {} by",
    "Add": "adds to {}",
    "Sub": "subtracts from {}",
}


def _described(node: NodeProto, model: Whole, is_input: bool) -> str:
    """`divides its input by 255`."""
    numbers = [
        array(model.stored[name])
        for name in node.input
        if name in model.stored and math.prod(model.stored[name].dims) == 1
    ]
    what = "its input" if is_input else "a value"
    if numbers and numbers[0].dtype.kind == "f" and node.op_type in VERBS:
        return f"{VERBS[node.op_type].format(what)} {float(numbers[0].reshape(-1)[0]):.4g}"
    name = f" ({quoted(node.output[0])})" if node.output else ""
    return f"applies {plain(node.op_type)}{name} to {what}"


def _missing(region: Region) -> Iterator[Repair]:
    """With a node that only A has, in front of each input of B's nodes here, or behind the part."""
    for node in region.alone_a.values():
        known = {each: region.constant_a(each) for each in node.input if each}
        dynamic = [each for each, value in known.items() if value is None]
        if node.op_type not in ELEMENTWISE or len(dynamic) != 1 or len(node.output) != 1:
            continue
        extra = [
            numpy_helper.from_array(value, each)
            for each, value in known.items()
            if value is not None
        ]
        is_input = _is_at_input(region.a, dynamic[0])
        for reader, other in region.nodes_b.items():
            for port, source in enumerate(other.input):
                if source and source not in region.b.stored:
                    yield Repair(
                        kind="inputs" if is_input else "operator",
                        node=reader,
                        text=f"A {_described(node, region.a, is_input)}, and B does not",
                        edit=partial(_added, reader=reader, port=port, what=(node, extra)),
                        done=f"with A's {node.op_type} in front of it",
                        is_structural=True,
                    )


def _added(
    model: ModelProto, reader: str, port: int, what: tuple[NodeProto, list[TensorProto]]
) -> None:
    node, extra = what
    new = NodeProto.FromString(node.SerializeToString())
    stored = {tensor.name for tensor in extra}
    new.input[:] = [f"{each}/a" if each in stored else "@" for each in new.input]
    new.output[:] = [f"{reader}/{port}/inserted"]
    new.name = ""
    for tensor in extra:
        if all(each.name != f"{tensor.name}/a" for each in model.graph.initializer):
            copy = TensorProto.FromString(tensor.SerializeToString())
            copy.name = f"{tensor.name}/a"
            model.graph.initializer.append(copy)
    insert_before(model, reader, port, new)


# What a node reads.


def _rewired(region: Region) -> Iterator[Repair]:
    """A node of B reads another value than the same node of A. Where the two values differ in weights
    alone, these have changed places.
    """
    partners: dict[str, list[str]] = {}
    for other, one in region.cut.items():
        partners.setdefault(one, []).append(other)
    for name, node, twin in region.alike():
        for port, source in enumerate(node.input[: len(twin.input)]):
            wanted = twin.input[port]
            if not source or source in region.b.stored or source in partners.get(wanted, ()):
                continue
            for other in partners.get(wanted, ()):
                if other == region.place.b or _depends(region.b, other, name):
                    continue
                weights = _apart_in_weights(region.b, source, other)
                if weights:
                    yield _exchanged(region, (source, other), weights)
                maker = region.b.writers.get(source)
                if maker is not None and other in maker.output:
                    yield Repair(
                        kind="layout",
                        node=next(filter(None, maker.output)),
                        text=f"{quoted(source)} and {quoted(other)}, which {plain(maker.op_type)} gives, have changed places",
                        edit=partial(_exchange, values=(source, other), weights=[]),
                        done="with each read in the other's place",
                        is_structural=True,
                        reads=(source, other),
                    )
                yield Repair(
                    kind="operator",
                    node=name,
                    text=f"{plain(node.op_type)} reads {quoted(source)} in B, and in A what B has as {quoted(other)}",
                    edit=partial(_read, name=name, port=port, source=other),
                    done=f"with {quoted(other)} in its place",
                    is_structural=True,
                    reads=(other,),
                )


def _depends(model: Whole, value: str, name: str) -> bool:
    """Is a value computed from another one?"""
    stack = [value]
    seen: set[str] = set()
    while stack:
        this = stack.pop()
        if this == name:
            return True
        if this not in seen and this in model.writers:
            seen.add(this)
            stack += reads(model.writers[this])
    return False


def _read(model: ModelProto, name: str, port: int, source: str) -> None:
    node = find(model, name)
    if node is not None:
        node.input[port] = source
        _sort(model)


def _sort(model: ModelProto) -> None:
    nodes = [NodeProto.FromString(each.SerializeToString()) for each in model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(in_order(nodes))


def _apart_in_weights(model: Whole, one: str, other: str) -> list[tuple[str, str, int]]:
    """[(a node, the other one, the port of their weights)] of two values that are computed alike but for
    some weights; empty where they are not.
    """
    found: list[tuple[str, str, int]] = []
    stack = [(one, other)]
    while stack:
        first, second = stack.pop()
        if first == second:
            continue
        mine = model.writers.get(first)
        theirs = model.writers.get(second)
        if mine is None or theirs is None or not _are_one_kind(mine, theirs):
            return []
        for port, (left, right) in enumerate(zip(mine.input, theirs.input, strict=True)):
            if left in model.stored and right in model.stored:
                if left != right:
                    if model.stored[left].dims != model.stored[right].dims:
                        return []
                    found.append((mine.output[0], theirs.output[0], port))
            else:
                stack.append((left, right))
    return found


def _are_one_kind(one: NodeProto, other: NodeProto) -> bool:
    def said(node: NodeProto) -> list[bytes]:
        return sorted(each.SerializeToString(deterministic=True) for each in node.attribute)

    return (
        one.op_type == other.op_type
        and one.domain == other.domain
        and len(one.input) == len(other.input)
        and len(one.output) == len(other.output) == 1
        and said(one) == said(other)
    )


def _exchanged(
    region: Region, values: tuple[str, str], weights: list[tuple[str, str, int]]
) -> Repair:
    shown = [
        f"{quoted(region.b.writers[one].input[port])} and {quoted(region.b.writers[other].input[port])}"
        for one, other, port in weights
    ]
    return Repair(
        kind="weight",
        node=weights[-1][0],
        text=f"the weights {joined(shown)} have changed places",
        edit=partial(_exchange, values=values, weights=weights),
        done="with each in the other's place",
        reads=values,
    )


def _exchange(
    model: ModelProto, values: tuple[str, str], weights: list[tuple[str, str, int]]
) -> None:
    """In a model that has the nodes their weights change places, in a part behind them their values."""
    pairs = [(find(model, one), find(model, other), port) for one, other, port in weights]
    if pairs and all(one is not None and other is not None for one, other, _ in pairs):
        for one, other, port in pairs:
            assert one is not None and other is not None
            kept = one.input[port]
            one.input[port] = other.input[port]
            other.input[port] = kept
        return
    to = {values[0]: values[1], values[1]: values[0]}
    for node in model.graph.node:
        node.input[:] = [to.get(name, name) for name in node.input]


# The order of what a part gives.


def _reordered(region: Region) -> Iterator[Repair]:
    """A part gives A's numbers in another order along one axis. The order is read from the first of the
    inputs and has to hold on all of them.
    """
    place = region.place
    if place.problem or not place.found or place.found[0].shape != place.wanted[0].shape:
        return
    has = place.found[0]
    wants = place.wanted[0]
    for axis in range(has.ndim):
        order = _order(np.moveaxis(has, axis, 0), np.moveaxis(wants, axis, 0))
        if order is None:
            continue
        node = next(each for each in region.nodes_b.values() if place.b in each.output)
        moving = [name for name, each in region.nodes_b.items() if each.op_type in MOVES]
        alone = [name for name in moving if name in region.alone_b]
        yield Repair(
            kind="layout",
            node=(alone or moving or [node.output[0]])[0],
            text=f"{quoted(place.b)} has A's numbers along axis {axis} in another order",
            edit=partial(_in_other_order, name=place.b, axis=axis, order=order),
            done=f"taken in the order {plain(str(order.tolist()), 60)}",
            is_structural=True,
        )


def _order(has: np.ndarray, wants: np.ndarray) -> np.ndarray | None:
    """The order in which rows of one array are those of another; None if they are not."""
    if not 1 < len(has) <= MOST_ROWS or has.dtype.kind != "f" or not has[0].size:
        return None
    first = has.reshape(len(has), -1).astype(np.float64)
    second = wants.reshape(len(wants), -1).astype(np.float64)
    near = 1e-5 * float(np.abs(second).max(initial=0))
    left = list(range(len(first)))
    order = []
    for row in second:
        at = next((each for each in left if (np.abs(first[each] - row) <= near).all()), None)
        if at is None:
            return None
        left.remove(at)
        order.append(at)
    return None if order == sorted(order) else np.array(order, np.int64)


def _in_other_order(model: ModelProto, name: str, axis: int, order: np.ndarray) -> None:
    node = find(model, name)
    if node is None:
        return
    before = f"{name}/in order"
    node.output[:] = [before if each == name else each for each in node.output]
    model.graph.initializer.append(numpy_helper.from_array(order, f"{name}/order"))
    model.graph.node.append(
        helper.make_node("Gather", [before, f"{name}/order"], [name], axis=axis)
    )
    _sort(model)


# Another operator.


# Of which two inputs, from the one at this place on, it matters which is first.
TURNED = dict.fromkeys(("Sub", "Div", "Pow", "Mod", "MatMul"), 0)
TURNED |= dict.fromkeys(("Greater", "Less", "GreaterOrEqual", "LessOrEqual"), 0)
TURNED |= {"Where": 1}


def _operators(region: Region) -> Iterator[Repair]:
    for name, node in region.alone_b.items():
        twin = region.twin(name)
        others = [twin] if twin is not None else list(region.alone_a.values())
        for other in others:
            same_arity = len(other.input) == len(node.input) and len(other.output) == len(
                node.output
            )
            if other.op_type == node.op_type or not same_arity or graphs.subgraphs(other):
                continue
            yield Repair(
                kind="operator",
                node=name,
                text=f"{plain(node.op_type)} stands in B where A has {plain(other.op_type)}",
                edit=partial(_become, name=name, other=other),
                done=f"with {other.op_type}",
                is_structural=True,
            )
    for name, node in region.alone_b.items():
        if len(node.input) < 1 or (first := region.nodes_b.get(node.input[0])) is None:
            continue
        if first.op_type != node.op_type and len(region.b.readers.get(node.input[0], ())) == 1:
            yield Repair(
                kind="operator",
                node=name,
                text=f"{plain(first.op_type)} comes before {plain(node.op_type)} in B, and behind it in A",
                edit=partial(_turn, name=name),
                done="the other way round",
                is_structural=True,
            )
    for name, node in region.nodes_b.items():
        place = TURNED.get(node.op_type)
        if place is not None and len(node.input) == place + 2:
            yield Repair(
                kind="operator",
                node=name,
                text=f"the {'last ' if place else ''}two inputs of {node.op_type} have changed places",
                edit=partial(_swap, name=name, first=place),
                done="with its inputs the other way round",
                is_structural=True,
            )
        if node.op_type == "Concat" and 2 <= len(set(node.input)) == len(node.input) <= MOST_JOINED:
            for order in list(itertools.permutations(node.input))[1:]:
                yield Repair(
                    kind="layout",
                    node=name,
                    text="Concat joins the same values in another order",
                    edit=partial(_reorder, name=name, order=order),
                    done=f"in the order {joined([quoted(each) for each in order])}",
                    is_structural=True,
                )


def _offsets(region: Region) -> Iterator[Repair]:
    """A bias that lacks one number for each of its channels: what a fold forgets that takes a shift from
    one node into another's bias. The numbers are fitted to half of the rows and have to hold on all of
    them, and a difference that is not the same for every row has no such numbers.
    """
    place = region.place
    if place.exact is None or place.problem or not place.found:
        return
    for name, node in region.nodes_b.items():
        port = {"Add": 1, "Gemm": 2, "Conv": 2, "ConvTranspose": 2}.get(node.op_type, -1)
        biases = [each for each in node.input if each in region.b.stored]
        if port < 0 or not biases or (port == 2 and len(node.input) < 3):
            continue
        bias = biases[-1]
        value = array(region.b.stored[bias])
        axis = 1 if node.op_type.startswith("Conv") else place.exact[0].ndim - 1
        apart = _apart(place, axis, value)
        if apart is None or len(apart) < FEWEST_ROWS:
            continue
        new = (value + apart[::2].mean(axis=0)).astype(value.dtype)
        yield Repair(
            kind="weight",
            node=name,
            text=f"the bias {quoted(bias)} of {node.op_type} lacks an offset of {float(np.abs(new - value).max()):.3g} at most, "
            "the same for every row, which A has",
            edit=partial(put, name=bias, value=new),
            done="with that offset, taken from half of the rows",
        )


def _apart(place: Place, axis: int, bias: np.ndarray) -> np.ndarray | None:
    """What a part lacks, as rows of a number for each channel; None where the bias has others."""
    rows = []
    for exact, found in zip(place.exact or (), place.found, strict=True):
        if exact.shape != found.shape or exact.ndim <= axis or exact.shape[axis] != bias.size:
            return None
        rows.append(np.moveaxis(exact - found, axis, -1).reshape(-1, bias.size))
    return np.concatenate(rows) if bias.ndim == 1 else None


def _become(model: ModelProto, name: str, other: NodeProto) -> None:
    node = find(model, name)
    if node is not None:
        node.op_type = other.op_type
        node.domain = other.domain
        copies = [AttributeProto.FromString(each.SerializeToString()) for each in other.attribute]
        del node.attribute[:]
        node.attribute.extend(copies)


def _turn(model: ModelProto, name: str) -> None:
    """Let a node and the one that gives its first input change places."""
    second = find(model, name)
    first = None if second is None else find(model, second.input[0])
    if first is None or second is None:
        return
    port = next(at for at, each in enumerate(first.input) if not _is_stored(model, each))
    between = first.output[0]
    second.input[0] = first.input[port]
    first.input[port] = name
    first.output[0] = name
    second.output[0] = between
    first.input[port] = between
    _sort(model)


def _is_stored(model: ModelProto, name: str) -> bool:
    return any(each.name == name for each in model.graph.initializer)


def _swap(model: ModelProto, name: str, first: int) -> None:
    node = find(model, name)
    if node is not None:
        node.input[first : first + 2] = [node.input[first + 1], node.input[first]]


def _reorder(model: ModelProto, name: str, order: tuple[str, ...]) -> None:
    node = find(model, name)
    if node is not None:
        node.input[:] = order


__all__ = ["MOVES", "Edit", "Region", "Repair", "candidates"]

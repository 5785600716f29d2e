"""What a model does with the numbers of an input: rows of a table that it picks, sizes, flags. Inputs
that are drawn have to fit that, and to reach both sides of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab import graphs

# They hand numbers on as they are, from their first input or from each.
HANDED_ON = frozenset(
    {"Cast", "CastLike", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Transpose", "Flatten"}
    | {"Expand", "Slice", "Concat", "Tile", "Gather", "GatherElements", "GatherND", "Split"}
    | {"Pad", "Clip", "Where", "Optional", "OptionalGetElement"}
)
# Which input holds the indices of rows, and which the table, by operator.
PICKS = {
    "Gather": ((1, 0),),
    "GatherElements": ((1, 0),),
    "GatherND": ((1, 0),),
    "ScatterElements": ((1, 0),),
    "ScatterND": ((1, 0),),
    "Scatter": ((1, 0),),
    "ArrayFeatureExtractor": ((1, 0),),
    "GatherBlockQuantized": ((1, 0),),
    "EmbedLayerNormalization": ((0, 2), (1, 4)),
}
# Inputs from this one on are sizes, places or numbers of times.
COUNTS = {
    "Reshape": 1,
    "Expand": 1,
    "Tile": 1,
    "Slice": 1,
    "TopK": 1,
    "Pad": 1,
    "Split": 1,
    "Unsqueeze": 1,
    "Squeeze": 1,
    "ConstantOfShape": 0,
    "Range": 0,
    "OneHot": 1,
    "Resize": 1,
    "Upsample": 1,
    "EyeLike": 0,
    "HannWindow": 0,
    "HammingWindow": 0,
    "BlackmanWindow": 0,
    "LSTM": 4,
    "GRU": 4,
    "RNN": 4,
}
# What a comparison with a constant has to be asked for, so that both answers come.
SIDES = {
    "Equal": (0,),
    "Greater": (0, 1),
    "LessOrEqual": (0, 1),
    "GreaterOrEqual": (-1, 0),
    "Less": (-1, 0),
}
MOST_CONSTANTS = 16


@dataclass(kw_only=True)
class Role:
    """What becomes of one input's numbers. `rows` is how many rows the smallest table has that they
    pick from, with `shift` added to them before, and `row_dims` names the sizes that limit them
    where the table is computed; `counts` tells that they are sizes, and `compared` the constants,
    with neighbours, that they are compared with.
    """

    rows: int | None = None
    row_dims: set[str] = field(default_factory=set)
    first: int = 0
    picks: bool = False
    counts: bool = False
    compared: set[int] = field(default_factory=set)

    def narrow(self, other: Role) -> None:
        """Make it fit another model as well, which uses the same numbers."""
        if other.rows is not None:
            self.rows = other.rows if self.rows is None else min(self.rows, other.rows)
        self.row_dims |= other.row_dims
        self.first = max(self.first, other.first)
        self.picks = self.picks or other.picks
        self.counts = self.counts or other.counts
        self.compared |= other.compared


def of_inputs(model: ModelProto) -> dict[str, Role]:
    """The role of each input of the main graph that holds integers or Booleans, by name."""
    return _Roles(model).found()


def unread(model: ModelProto) -> list[str]:
    """The inputs of the main graph that no output depends on."""
    reached = graphs.upstream(model.graph, [each.name for each in model.graph.output])
    stored = set(graphs.stored(model.graph))
    return [
        value.name
        for value in model.graph.input
        if value.name not in reached and value.name not in stored
    ]


class _Roles:
    def __init__(self, model: ModelProto):
        self.model = model
        self.writers: dict[str, NodeProto] = {}
        self.readers: dict[str, list[tuple[NodeProto, int]]] = defaultdict(list)
        self.tensors: dict[str, TensorProto] = {}
        for graph in graphs.inside(model):
            self._learn(graph)
        self._declared: dict[str, list[int | str | None]] | None = None

    def _learn(self, graph: GraphProto) -> None:
        self.tensors |= {each.name: each for each in graph.initializer}
        for node in graph.node:
            for name in node.output:
                self.writers[name] = node
            for port, name in enumerate(node.input):
                if name:
                    self.readers[name].append((node, port))
            if node.op_type == "Constant" and len(node.attribute) == 1:
                attribute = node.attribute[0]
                if attribute.HasField("t"):
                    self.tensors[node.output[0]] = attribute.t
                elif attribute.name == "value_int":
                    self.tensors[node.output[0]] = helper.make_tensor(
                        "", TensorProto.INT64, [], [attribute.i]
                    )

    def found(self) -> dict[str, Role]:
        stored = set(graphs.stored(self.model.graph))
        return {
            value.name: self._role(value.name)
            for value in self.model.graph.input
            if value.name not in stored and _is_whole(value)
        }

    def _role(self, name: str) -> Role:
        role = Role()
        stack = [(name, 0)]
        seen = set(stack)
        while stack:
            value, shift = stack.pop()
            for node, port in self.readers.get(value, ()):
                self._use(role, node, port, shift)
                for new in self._onward(node, port, shift):
                    if new not in seen and len(seen) < 10_000:
                        seen.add(new)
                        stack.append(new)
        return role

    def _onward(self, node: NodeProto, port: int, shift: int) -> Iterator[tuple[str, int]]:
        """The values that hold the same numbers, with what was added to them."""
        kind = node.op_type
        if kind in HANDED_ON and (port > 0 if kind == "Where" else not port or kind == "Concat"):
            yield from ((name, shift) for name in node.output if name)
        elif kind in ("Add", "Sub"):
            other = node.input[1 - port] if len(node.input) == 2 else ""
            added = self._constants(other)
            if len(added) == 1 and not (kind == "Sub" and port == 1):
                sign = 1 if kind == "Add" else -1
                yield from ((name, shift + sign * added[0]) for name in node.output)
        elif kind in ("Max", "Min", "Abs"):
            yield from ((name, shift) for name in node.output)

    def _use(self, role: Role, node: NodeProto, port: int, shift: int) -> None:
        kind = node.op_type
        for indices, table in PICKS.get(kind, ()):
            if port == indices and len(node.input) > table:
                self._pick(role, node, node.input[table], shift)
        if kind == "RotaryEmbedding":
            place, table = (1, 2) if graphs.domain(node.domain) == "com.microsoft" else (3, 1)
            if port == place and len(node.input) > table:
                self._pick(role, node, node.input[table], shift, axis=0)
        first = COUNTS.get(kind)
        if (first is not None and port >= first) or (kind == "Loop" and port == 0):
            role.counts = True
        if kind in SIDES and len(node.input) == 2:
            steps = SIDES[kind] if port == 0 else tuple(-step for step in SIDES[kind])
            constants = self._constants(node.input[1 - port])
            role.compared.update(each + step - shift for each in constants for step in steps)

    def _pick(
        self, role: Role, node: NodeProto, table: str, shift: int, axis: int | None = None
    ) -> None:
        role.picks = True
        role.first = max(role.first, -shift)
        sizes = self._shape(table)
        if not sizes:
            return
        if node.op_type in ("GatherND", "ScatterND"):
            limits = sizes[:1] if len(sizes) == 1 else sizes
        else:
            usual = -1 if node.op_type == "ArrayFeatureExtractor" else 0
            names = ("axis", "gather_axis")
            given = next((each.i for each in node.attribute if each.name in names), usual)
            at = given if axis is None else axis
            if not -len(sizes) <= at < len(sizes):
                return
            limits = [sizes[at]]
        for limit in limits:
            if isinstance(limit, int):
                rows = limit - shift
                role.rows = rows if role.rows is None else min(role.rows, rows)
            elif isinstance(limit, str):
                role.row_dims.add(limit)

    def _shape(self, name: str, depth: int = 0) -> list[int | str | None]:
        """The sizes of a value, as far as they are known; none where the rank is not."""
        if name in self.tensors:
            return list(self.tensors[name].dims)
        node = self.writers.get(name)
        same = {"Cast", "Identity", "DequantizeLinear", "QuantizeLinear", "Neg", "Tanh", "Relu"}
        if node is not None and depth < 50:
            if node.op_type in same and node.input:
                return self._shape(node.input[0], depth + 1)
            if node.op_type == "Transpose":
                inner = self._shape(node.input[0], depth + 1)
                order = next(
                    (list(each.ints) for each in node.attribute if each.name == "perm"), []
                )
                if inner and (not order or sorted(order) == list(range(len(inner)))):
                    return [inner[at] for at in order or reversed(range(len(inner)))]
        return self._inferred().get(name, [])

    def _inferred(self) -> dict[str, list[int | str | None]]:
        if self._declared is None:
            try:
                model = onnx.shape_inference.infer_shapes(self.model, data_prop=True)
            except Exception:  # onnx raises errors of several kinds for broken graphs  # noqa: BLE001
                model = self.model
            self._declared = {
                value.name: [
                    dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
                    for dim in value.type.tensor_type.shape.dim
                ]
                for value in (*model.graph.value_info, *model.graph.input)
                if value.type.tensor_type.HasField("shape")
            }
        return self._declared

    def _constants(self, name: str) -> list[int]:
        """The whole numbers of a small constant, seen through what changes its type alone."""
        for _ in range(10):
            if name in self.tensors or name not in self.writers:
                break
            node = self.writers[name]
            if node.op_type not in HANDED_ON or not node.input:
                break
            name = node.input[0]
        tensor = self.tensors.get(name)
        if tensor is None or tensor.data_type == TensorProto.STRING:
            return []
        if np.prod(tensor.dims, dtype=float) > MOST_CONSTANTS:
            return []
        try:
            values = numpy_helper.to_array(tensor).astype(np.float64).reshape(-1)
        except (ValueError, TypeError):
            return []
        return [int(each) for each in values if np.isfinite(each) and each == int(each)]


def _is_whole(value: onnx.ValueInfoProto) -> bool:
    kind = value.type.tensor_type.elem_type
    if kind in (TensorProto.UNDEFINED, TensorProto.STRING):
        return False
    if kind not in TensorProto.DataType.values():
        return False
    return np.dtype(helper.tensor_dtype_to_np_dtype(kind)).kind in "iub"

"""Edits after which a graph is most often still one that a runtime loads: what a bug writes, and not
what a broken disk does.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

# What to do, and two numbers that say where and how.
Edit = tuple[int, int, int]
node = helper.make_node
OPERATORS = (
    *("Identity", "Neg", "Relu", "Floor", "Sqrt", "Sigmoid", "Softmax"),
    *("Shape", "NonZero", "IsNaN", "Dropout", "RandomNormalLike"),
)
SHAPES = ([-1], [0, -1], [1, -1], [-1, 1, 1, 1, 1, 1, 1], [0])


def of_graph(data: bytes, edits: list[Edit]) -> bytes:
    model = onnx.ModelProto.FromString(data)
    for kind, where, how in edits:
        EDITS[kind % len(EDITS)](model, where, how)
    return model.SerializeToString()


def _fresh(model: ModelProto, stem: str) -> str:
    taken = {name for each in model.graph.node for name in (*each.input, *each.output)}
    return next(name for at in count() if (name := f"{stem}_{at}") not in taken)


def _pick(items, where: int):
    return items[where % len(items)] if len(items) else None


def _insert(model: ModelProto, where: int, made: Callable[[str, str], list[NodeProto]]) -> None:
    """Nodes behind the first output of some node, for all who read it."""
    at = where % len(model.graph.node) if model.graph.node else 0
    written = [name for each in model.graph.node[at : at + 1] for name in each.output if name]
    if not written:
        return
    [written, *_] = written
    before = _fresh(model, "before")
    model.graph.node[at].output[list(model.graph.node[at].output).index(written)] = before
    nodes = [*model.graph.node[: at + 1], *made(before, written), *model.graph.node[at + 1 :]]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _constant(name: str, values) -> NodeProto:
    return node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(values)))


def _branch(name: str, read: str, op: str) -> GraphProto:
    return helper.make_graph(
        [node(op, [read], [name])],
        name,
        [],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
    )


def puts_an_operator(model: ModelProto, where: int, how: int) -> None:
    op = _pick(OPERATORS, how)
    _insert(model, where, lambda read, new: [node(op, [read], [new])])


def casts(model: ModelProto, where: int, how: int) -> None:
    to = _pick((10, 11, 7, 16, 9, 6, 3, 2, 8, 17), how)
    back = how % 2
    temporary = _fresh(model, "cast")
    _insert(
        model,
        where,
        lambda read, new: (
            [node("Cast", [read], [temporary], to=to), node("Cast", [temporary], [new], to=1)]
            if back
            else [node("Cast", [read], [new], to=to)]
        ),
    )


def reshapes(model: ModelProto, where: int, how: int) -> None:
    shape, name = _pick(SHAPES, how), _fresh(model, "shape")
    _insert(
        model,
        where,
        lambda read, new: [
            _constant(name, np.array(shape, np.int64)),
            node("Reshape", [read, name], [new]),
        ],
    )


def transposes(model: ModelProto, where: int, how: int) -> None:
    _insert(model, where, lambda read, new: [node("Transpose", [read], [new])])


def adds(model: ModelProto, where: int, how: int) -> None:
    value = _pick((0.0, -0.0, np.nan, np.inf, 1e30, 1e-40, 1.0), how)
    name, op = _fresh(model, "value"), _pick(("Add", "Mul", "Div", "Pow", "Max"), how // 7)
    _insert(
        model,
        where,
        lambda read, new: [_constant(name, np.float32(value)), node(op, [read, name], [new])],
    )


def chooses(model: ModelProto, where: int, how: int) -> None:
    name = _fresh(model, "choice")
    _insert(
        model,
        where,
        lambda read, new: [
            _constant(name, np.array(bool(how % 2))),
            node(
                "If",
                [name],
                [new],
                then_branch=_branch(name + "_then", read, "Identity"),
                else_branch=_branch(name + "_else", read, "Neg"),
            ),
        ],
    )


def makes_a_sequence(model: ModelProto, where: int, how: int) -> None:
    name, at = _fresh(model, "sequence"), _fresh(model, "at")
    _insert(
        model,
        where,
        lambda read, new: [
            node("SequenceConstruct", [read, read], [name]),
            _constant(at, np.array(how % 3, np.int64)),
            node("SequenceAt", [name, at], [new]),
        ],
    )


def quantizes(model: ModelProto, where: int, how: int) -> None:
    name = _fresh(model, "codes")
    scale, zero = _fresh(model, "scale"), _fresh(model, "zero")
    kind = _pick((np.uint8, np.int8, np.uint16, np.int32), how)
    first, second = (
        ("DynamicQuantizeLinear", None) if how % 5 == 4 else ("QuantizeLinear", "DequantizeLinear")
    )
    value = np.float32(_pick((0.1, 1e-9, 100.0, 0.0, np.nan), how // 4))

    def made(read: str, new: str) -> list[NodeProto]:
        if second is None:
            return [
                node(first, [read], [name, scale, zero]),
                node("DequantizeLinear", [name, scale, zero], [new]),
            ]
        return [
            _constant(scale, value),
            _constant(zero, np.array(0, kind)),
            node(first, [read, scale, zero], [name]),
            node(second, [name, scale, zero], [new]),
        ]

    _insert(model, where, made)


def bypasses_a_node(model: ModelProto, where: int, how: int) -> None:
    """Who read its output reads its input."""
    if not model.graph.node:
        return
    at = where % len(model.graph.node)
    gone = model.graph.node[at]
    if not (gone.input and gone.output):
        return
    read = _pick(gone.input, how)
    model.graph.node[at].CopyFrom(node("Identity", [read], [gone.output[0]]))


def repeats_a_node(model: ModelProto, where: int, how: int) -> None:
    if model.graph.node:
        again = NodeProto()
        again.CopyFrom(_pick(model.graph.node, where))
        again.name = again.name if how % 2 else "again"
        again.output[:] = [_fresh(model, f"again{at}") for at in range(len(again.output))]
        model.graph.node.append(again)


def changes_an_initializer(model: ModelProto, where: int, how: int) -> None:
    tensor = _pick(model.graph.initializer, where)
    if tensor is None or tensor.data_location == TensorProto.EXTERNAL:
        return
    if tensor.data_type == TensorProto.STRING:  # an edit before this one has made texts of it
        return
    values = numpy_helper.to_array(tensor)
    floats = values.dtype.kind == "f"
    changed = (
        lambda: np.zeros_like(values),
        lambda: np.full_like(values, np.nan if floats else 1),
        lambda: np.full_like(values, np.inf if floats else 7),
        lambda: values[:0] if values.ndim else values,
        lambda: values.reshape(-1),
        lambda: values[None],
        lambda: values.astype(np.float64),
        lambda: values.astype(np.float16),
        lambda: values.astype(np.int64),
        lambda: -values if values.dtype.kind in "fiu" else values,
        lambda: values.T,
        lambda: np.array(["a"] * values.size, object).reshape(values.shape),
    )[how % 12]()
    changed = np.ascontiguousarray(changed).reshape(changed.shape)
    tensor.CopyFrom(numpy_helper.from_array(changed, tensor.name))


def stores_an_initializer_otherwise(model: ModelProto, where: int, how: int) -> None:
    """As a node, as an input with a default, in a typed field, or sparse."""
    tensor = _pick(model.graph.initializer, where)
    if tensor is None or tensor.data_location == TensorProto.EXTERNAL:
        return
    values, name = numpy_helper.to_array(tensor), tensor.name
    if how % 4 == 0:
        model.graph.initializer.remove(tensor)
        model.graph.node.insert(0, _constant(name, values))
    elif how % 4 == 1:
        value = helper.make_tensor_value_info(name, tensor.data_type, values.shape)
        model.graph.input.append(value)
    elif how % 4 == 2 and values.dtype == np.float32:
        typed = values.reshape(-1).tolist()
        tensor.CopyFrom(helper.make_tensor(name, TensorProto.FLOAT, values.shape, typed))
    elif how % 4 == 3 and values.dtype == np.float32 and values.size:
        places = np.flatnonzero(values.reshape(-1))
        sparse = helper.make_sparse_tensor(
            numpy_helper.from_array(values.reshape(-1)[places], name),
            numpy_helper.from_array(places.astype(np.int64), name + "_at"),
            list(values.shape),
        )
        model.graph.initializer.remove(tensor)
        model.graph.sparse_initializer.append(sparse)


def renames_all(model: ModelProto, where: int, how: int) -> None:
    """Every value but the graph's inputs and outputs, some to names that are hard to read."""
    kept = {value.name for value in (*model.graph.input, *model.graph.output)}
    made = _pick(
        (
            lambda at: f"v{at}",
            lambda at: " " * (at + 1),
            lambda at: f"ü{at}/../x",
            lambda at: "n" * 3000 + str(at),
            lambda at: f"<script>{at}",
            lambda at: str(at),
        ),
        how,
    )
    names: dict[str, str] = {}

    def new(name: str) -> str:
        return name if not name or name in kept else names.setdefault(name, made(len(names)))

    for each in model.graph.node:
        each.input[:] = map(new, each.input)
        each.output[:] = map(new, each.output)
        each.name = made(where + len(names)) if where % 2 else ""
    for value in (*model.graph.initializer, *model.graph.value_info):
        value.name = new(value.name)


def declares_otherwise(model: ModelProto, where: int, how: int) -> None:
    value = _pick((*model.graph.output, *model.graph.input, *model.graph.value_info), where)
    if value is None:
        return
    shape = value.type.tensor_type.shape
    if how % 5 == 0:
        value.type.tensor_type.ClearField("shape")
    elif how % 5 == 1 and shape.dim:
        _pick(shape.dim, how).dim_param = "n"
    elif how % 5 == 2 and shape.dim:
        _pick(shape.dim, how).dim_value = how % 7
    elif how % 5 == 3:
        shape.dim.add()
    else:
        value.type.tensor_type.elem_type = how % 24


def takes_another_opset(model: ModelProto, where: int, how: int) -> None:
    entry = _pick(model.opset_import, where)
    if entry is None or how % 3 == 0:
        domain = _pick(("com.microsoft", "ai.onnx.ml", "own"), where)
        model.opset_import.add(domain=domain, version=1)
    else:
        entry.version = max(1, entry.version + _pick((-8, -3, -1, 1, 2), how))


def writes_a_value_out(model: ModelProto, where: int, how: int) -> None:
    each = _pick(model.graph.node, where)
    if each is not None and each.output:
        model.graph.output.append(helper.make_empty_tensor_value_info(_pick(each.output, how)))


def changes_an_attribute(model: ModelProto, where: int, how: int) -> None:
    having = [each for each in model.graph.node if each.attribute]
    each = _pick(having, where)
    if each is None:
        return
    attribute = _pick(each.attribute, how)
    kind = how // 8 % 4
    if kind == 0:
        each.attribute.remove(attribute)
    elif attribute.type == onnx.AttributeProto.INT:
        attribute.i = _pick((0, 1, -1, 2, 1 << 40), how)
    elif attribute.type == onnx.AttributeProto.FLOAT:
        attribute.f = _pick((0.0, float("nan"), -1.0, 1e30), how)
    elif attribute.type == onnx.AttributeProto.INTS:
        attribute.ints[:] = [*attribute.ints][::-1] if kind == 1 else [*attribute.ints, 1]
    elif attribute.type == onnx.AttributeProto.TENSOR:
        attribute.t.CopyFrom(numpy_helper.from_array(np.zeros((0,), np.float32)))


def becomes_a_function(model: ModelProto, where: int, how: int) -> None:
    """One node becomes the call of a function that holds it."""
    each = _pick(model.graph.node, where)
    if each is None or each.domain or not all((*each.input, *each.output)):
        return
    is_repeated = len(set(each.input)) < len(each.input)
    if is_repeated or any(attribute.HasField("g") for attribute in each.attribute):
        return
    inner = NodeProto()
    inner.CopyFrom(each)
    name = _fresh(model, "held")
    model.functions.append(
        helper.make_function(
            "own", name, list(each.input), list(each.output), [inner], model.opset_import
        )
    )
    each.CopyFrom(node(name, list(each.input), list(each.output), domain="own"))
    if not any(entry.domain == "own" for entry in model.opset_import):
        model.opset_import.add(domain="own", version=1)


def becomes_a_branch(model: ModelProto, where: int, how: int) -> None:
    """The whole graph moves into both branches of an If."""
    names = [value.name for value in model.graph.output]
    held = helper.make_graph(list(model.graph.node), "held", [], list(model.graph.output))
    for value in held.output:
        held.node.append(node("Identity", [value.name], [f"{value.name}_inner"]))
        value.name += "_inner"
    del model.graph.node[:]
    choice = node("If", ["which"], names, then_branch=held, else_branch=held)
    model.graph.node.extend([_constant("which", np.array(bool(where % 2))), choice])


def loses_a_list(model: ModelProto, where: int, how: int) -> None:
    field = _pick(
        ("value_info", "opset_import", "initializer", "input", "node", "metadata_props"), how
    )
    holder = model if field in ("opset_import", "metadata_props") else model.graph
    del getattr(holder, field)[:]


EDITS = (
    puts_an_operator,
    casts,
    reshapes,
    transposes,
    adds,
    chooses,
    makes_a_sequence,
    quantizes,
    bypasses_a_node,
    repeats_a_node,
    changes_an_initializer,
    changes_an_initializer,
    stores_an_initializer_otherwise,
    renames_all,
    declares_otherwise,
    takes_another_opset,
    writes_a_value_out,
    changes_an_attribute,
    becomes_a_function,
    becomes_a_branch,
    loses_a_list,
)

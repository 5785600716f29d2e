"""Models that are the same in another form, and models with one change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

from formatlab import graphs
from formatlab.models.museum import healthy


def copy(model: ModelProto) -> ModelProto:
    return ModelProto.FromString(model.SerializeToString())


def drawn(seed: int) -> ModelProto:
    """A healthy model of some family."""
    rng = np.random.default_rng(seed)
    return healthy.ALL[seed % len(healthy.ALL)](rng).model


def disguised(model: ModelProto, seed: int) -> ModelProto:
    """The same model with other names inside, in another order, with its tensors written in
    another field.
    """
    rng = np.random.default_rng(seed)
    other = copy(model)
    _rename(other, rng)
    for graph, _ in graphs.walk(other.graph):
        _shuffle_nodes(graph, rng)
        for repeated in (graph.initializer, graph.value_info):
            _shuffle(repeated, rng)
        for tensor in graph.initializer:
            _written_elsewhere(tensor)
    for node in graphs.nodes(other):
        _shuffle(node.attribute, rng)
    _shuffle(other.opset_import, rng)
    return other


def _rename(model: ModelProto, rng: np.random.Generator) -> None:
    fixed = {value.name for value in (*model.graph.input, *model.graph.output)}
    names: dict[str, str] = {"": ""}

    def new(name: str) -> str:
        if name in fixed:
            return name
        return names.setdefault(name, f"n{rng.integers(1 << 40)}_{len(names)}")

    for graph, _ in graphs.walk(model.graph):
        graph.name = f"g{rng.integers(1000)}"
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            value.name = new(value.name)
    bodies = [function.node for function in model.functions]
    own = [[node for node in body] for body in bodies]
    for node in graphs.nodes(model):
        node.name = f"node{rng.integers(1 << 40)}" if rng.random() < 0.7 else ""
        if not any(node is each for body in own for each in body):
            node.input[:] = [new(name) for name in node.input]
            node.output[:] = [new(name) for name in node.output]


def _shuffle(repeated, rng: np.random.Generator) -> None:
    items = list(repeated)
    order = rng.permutation(len(items))
    copies = [type(item).FromString(item.SerializeToString()) for item in items]
    del repeated[:]
    repeated.extend(copies[at] for at in order)


def _shuffle_nodes(graph, rng: np.random.Generator) -> None:
    """Another order in which every node comes after what it reads."""
    nodes = [type(node).FromString(node.SerializeToString()) for node in graph.node]
    own = {name for node in nodes for name in node.output}
    placed: list = []
    written: set[str] = set()
    while nodes:
        ready = [node for node in nodes if not (set(_reads(node)) & own) - written]
        chosen = ready[rng.integers(len(ready))]
        nodes.remove(chosen)
        placed.append(chosen)
        written.update(chosen.output)
    del graph.node[:]
    graph.node.extend(placed)


def _reads(node) -> list[str]:
    found = list(node.input)
    for child in graphs.subgraphs(node):
        for graph, _ in graphs.walk(child):
            found += [name for inner in graph.node for name in inner.input]
            found += [value.name for value in graph.output]
    return found


def _written_elsewhere(tensor: TensorProto) -> None:
    values = numpy_helper.to_array(tensor)
    if tensor.data_type == TensorProto.FLOAT and tensor.HasField("raw_data"):
        tensor.ClearField("raw_data")
        tensor.float_data.extend(values.reshape(-1).tolist())
    elif tensor.data_type == TensorProto.INT64 and tensor.HasField("raw_data"):
        tensor.ClearField("raw_data")
        tensor.int64_data.extend(values.reshape(-1).tolist())


@dataclass(frozen=True)
class Edited:
    """A model with one change, the kinds that may name it, and a word that has to stand there."""

    model: ModelProto
    kinds: tuple[str, ...]
    word: str


Edit = Callable[[ModelProto, np.random.Generator], Edited | None]
UNARY = ("Relu", "Tanh", "Sigmoid", "Softplus", "Elu", "Selu", "LeakyRelu", "Abs", "Neg", "Exp")


def other_operator(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    found = [node for node in model.graph.node if node.op_type in UNARY]
    if not found:
        return None
    node = found[rng.integers(len(found))]
    node.op_type = "Softsign" if node.op_type != "Softsign" else "Tanh"
    del node.attribute[:]
    return Edited(model, ("replaced",), node.op_type)


def removed(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    outputs = {value.name for value in model.graph.output}
    found = [
        at
        for at, node in enumerate(model.graph.node)
        if node.op_type in UNARY and node.output[0] not in outputs
    ]
    if not found:
        return None
    at = int(rng.choice(found))
    node = model.graph.node[at]
    operator, name, read = node.op_type, node.output[0], node.input[0]
    del model.graph.node[at]
    del model.graph.value_info[:]
    for graph, _ in graphs.walk(model.graph):
        for each in graph.node:
            each.input[:] = [read if one == name else one for one in each.input]
    return Edited(model, ("removed",), operator)


def inserted(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    at = int(rng.integers(len(model.graph.node)))
    node = model.graph.node[at]
    if not node.input or not node.input[0]:
        return None
    new = helper.make_node("Ceil", [node.input[0]], ["a_new_value"])
    node.input[0] = "a_new_value"
    nodes = [type(each).FromString(each.SerializeToString()) for each in model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:at], new, *nodes[at:]])
    return Edited(model, ("added",), "Ceil")


def other_numbers(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    found = [
        tensor
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT and len(tensor.dims) == 2
    ]
    tensor = found[rng.integers(len(found))]
    values = numpy_helper.to_array(tensor).copy()
    values.flat[rng.integers(values.size)] += 1
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return Edited(model, ("values",), tensor.name)


def other_type(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    found = [
        tensor
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT and len(tensor.dims) == 2
    ]
    tensor = found[rng.integers(len(found))]
    values = numpy_helper.to_array(tensor).astype(np.float16)
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return Edited(model, ("retyped",), "FLOAT16")


def rewired(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    """A node reads a value of an earlier node in place of its own."""
    nodes = model.graph.node
    outputs = {value.name for value in model.graph.output}
    readers = [name for node in nodes for name in _reads(node)]
    found = []
    for at, node in enumerate(nodes):
        for port, name in enumerate(node.input):
            earlier = [each.output[0] for each in nodes[:at] if each.output[0] != name]
            written = any(name in each.output for each in nodes[:at])
            # Otherwise the node that wrote the name is dead, and its end is a second change.
            if written and earlier and (readers.count(name) > 1 or name in outputs):
                found.append((at, port, earlier))
    if not found:
        return None
    at, port, earlier = found[rng.integers(len(found))]
    nodes[at].input[port] = str(rng.choice(earlier))
    return Edited(model, ("rewired",), nodes[at].input[port])


def an_attribute(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    found = [node for node in model.graph.node if node.op_type in ("Gemm", "Conv", "LeakyRelu")]
    if not found:
        return None
    node = found[rng.integers(len(found))]
    name = {"Gemm": "alpha", "Conv": "strides", "LeakyRelu": "alpha"}[node.op_type]
    for at, attribute in reversed(list(enumerate(node.attribute))):
        if attribute.name == name:
            del node.attribute[at]
    node.attribute.append(helper.make_attribute(name, [3, 3] if name == "strides" else 0.75))
    return Edited(model, ("attribute",), name)


def other_opset(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    model.opset_import[0].version += 1
    return Edited(model, ("opset",), str(model.opset_import[0].version))


def other_ir(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    model.ir_version += 1
    return Edited(model, ("ir",), "IR version")


def metadata(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    model.metadata_props.add(key="author", value="someone")
    return Edited(model, ("metadata",), "author")


def a_size(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 3
    return Edited(model, ("resized",), model.graph.output[0].name)


def output_renamed(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    name = model.graph.output[0].name
    model.graph.output[0].name = "renamed_output"
    for node in model.graph.node:
        node.output[:] = ["renamed_output" if each == name else each for each in node.output]
    return Edited(model, ("interface",), "renamed_output")


def unread_weight(model: ModelProto, rng: np.random.Generator) -> Edited | None:
    model.graph.initializer.append(
        numpy_helper.from_array(rng.normal(size=5).astype(np.float32), "unread")
    )
    return Edited(model, ("added",), "unread")


EDITS: tuple[Edit, ...] = (
    other_operator,
    removed,
    inserted,
    other_numbers,
    other_type,
    rewired,
    an_attribute,
    other_opset,
    other_ir,
    metadata,
    a_size,
    output_renamed,
    unread_weight,
)

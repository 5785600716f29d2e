"""Recognise a wrong count of the exercise `inspect` by the number that it gives: each symptom is a known careless way to count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import NamedTuple

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, defs

PAGE = "day-50/02-inside-an-onnx-file"
DEFAULT_DOMAINS = ("", "ai.onnx")


class Subject(NamedTuple):
    """The model that was described, and the sizes in bytes of the files that lie beside it."""

    model: ModelProto
    sizes: Mapping[str, int]


class Symptom(NamedTuple):
    """`value` counts wrongly; `found` says what it counts, `cause` why that is not what was asked, `anchor` where that is explained."""

    value: Callable[[Subject], object]
    found: str
    cause: str
    anchor: str


def recognise(key: str, found: object, subject: Subject) -> Symptom | None:
    """The first symptom of `key` that gives `found` for this model: the more special ones stand first."""
    return next((symptom for symptom in SYMPTOMS[key] if symptom.value(subject) == found), None)


def _subgraphs(nodes: Iterable[NodeProto], lists: bool = True) -> Iterator[GraphProto]:
    for node in nodes:
        for attribute in node.attribute:
            yield from [attribute.g] * attribute.HasField("g")
            yield from attribute.graphs if lists else ()


def _deep(graphs: Iterable[GraphProto], lists: bool = True) -> Iterator[GraphProto]:
    for graph in graphs:
        yield graph
        yield from _deep(_subgraphs(graph.node, lists), lists)


def _nodes(model: ModelProto, subgraphs: bool = True, functions: bool = True, lists: bool = True) -> Iterator[NodeProto]:
    for body in [model.graph, *model.functions] if functions else [model.graph]:
        yield from body.node
        for graph in _deep(_subgraphs(body.node, lists), lists) if subgraphs else ():
            yield from graph.node


def _histogram(nodes: Iterable[NodeProto]) -> dict[str, int]:
    return dict(Counter(n.op_type if n.domain in DEFAULT_DOMAINS else f"{n.domain}::{n.op_type}" for n in nodes))


def _one_level(subject: Subject) -> dict[str, int]:
    model = subject.model
    nodes = [node for body in (model.graph, *model.functions) for node in body.node]
    return _histogram([*nodes, *(node for graph in _subgraphs(nodes) for node in graph.node)])


def _main(subject: Subject) -> Iterable[TensorProto]:
    return subject.model.graph.initializer


def _all(subject: Subject) -> list[TensorProto]:
    model = subject.model
    return [
        tensor for graph in _deep([model.graph, *_subgraphs(n for f in model.functions for n in f.node)]) for tensor in graph.initializer
    ]


def _elements(tensors: Iterable[TensorProto]) -> int:
    return sum(prod(tensor.dims) for tensor in tensors)


def _outside(subject: Subject, tensors: Iterable[TensorProto], field: str) -> list[str]:
    outside = [t for t in tensors if t.data_location == TensorProto.EXTERNAL]
    return [entry.value for tensor in outside for entry in tensor.external_data if entry.key == field]


def _not_inputs(subject: Subject) -> int:
    inputs = {value.name for value in subject.model.graph.input}
    return _elements(tensor for tensor in _all(subject) if tensor.name not in inputs)


def _size(subject: Subject, files: Iterable[str]) -> int:
    return subject.model.ByteSize() + sum(subject.sizes.get(name, 0) for name in files)


SYMPTOMS: dict[str, tuple[Symptom, ...]] = {
    "ir_version": (
        Symptom(
            lambda s: s.model.opset_import[0].version,
            "the version of an opset",
            "The version of the file format and that of the operators are two numbers; ir_version is a field of the model itself.",
            "versions",
        ),
    ),
    "opset": (
        Symptom(
            lambda s: s.model.opset_import[0].version,
            "the version in the first entry of opset_import",
            "opset_import is a list in any order: its first entry may belong to a vendor's domain. Search it for the default domain.",
            "opset-imports",
        ),
        Symptom(
            lambda s: s.model.opset_import[-1].version,
            "the version in the last entry of opset_import",
            "A loop over opset_import that does not look at the domain keeps the last entry, whosever it is.",
            "opset-imports",
        ),
        Symptom(
            lambda s: max(entry.version for entry in s.model.opset_import),
            "the highest version in opset_import",
            "Every domain counts its versions for itself: a vendor's may be higher than that of the default domain.",
            "opset-imports",
        ),
        Symptom(
            lambda s: s.model.ir_version,
            "the model's ir_version",
            "The version of the file format and that of the operators are two numbers.",
            "versions",
        ),
        Symptom(
            lambda s: defs.onnx_opset_version(),
            "the newest opset that the installed onnx package knows",
            "Which opset a model uses is written in the model, not in the package that reads it.",
            "opset-imports",
        ),
    ),
    "operators": (
        Symptom(
            lambda s: _histogram(_nodes(s.model, functions=False)),
            "every node but those in the bodies of functions",
            "model.functions holds nodes as well: count each body once, however often it is called.",
            "functions",
        ),
        Symptom(
            lambda s: _histogram(_nodes(s.model, lists=False)),
            "no nodes of graphs that stand in a list",
            "An attribute holds one graph in its field g, or a list of graphs in its field graphs.",
            "subgraphs",
        ),
        Symptom(
            _one_level,
            "subgraphs one level deep only",
            "A subgraph's nodes may hold subgraphs themselves: the walk has to call itself.",
            "subgraphs",
        ),
        Symptom(
            lambda s: _histogram(s.model.graph.node),
            "only the nodes of the main graph",
            "If, Loop and Scan hold whole graphs in their attributes, and a function has a body: their nodes are in the file too.",
            "subgraphs",
        ),
        Symptom(
            lambda s: _histogram(_nodes(s.model, subgraphs=False)),
            "no nodes of subgraphs",
            "If, Loop and Scan hold whole graphs in their attributes; their nodes are in the file too.",
            "subgraphs",
        ),
        Symptom(
            lambda s: dict(Counter(node.op_type for node in _nodes(s.model))),
            "operators without their domain",
            'Outside the default domain the key is "domain::Op": two domains may use one name for different operators.',
            "operators",
        ),
        Symptom(
            lambda s: dict(Counter(f"{n.domain}::{n.op_type}" if n.domain else n.op_type for n in _nodes(s.model))),
            'keys with the prefix "ai.onnx::"',
            "ai.onnx is another name of the default domain, whose operators have no prefix here.",
            "operators",
        ),
        Symptom(
            lambda s: dict(Counter(f"{n.domain}::{n.op_type}" for n in _nodes(s.model))),
            'the prefix "::" where the domain is the default one',
            "In the default domain the key is the operator's name alone.",
            "operators",
        ),
    ),
    "parameters": (
        Symptom(
            lambda s: len(_main(s)),
            "the number of initializers",
            "An initializer is a whole tensor; its parameters are its elements, the product of its dims.",
            "initializers",
        ),
        Symptom(
            lambda s: len(_all(s)),
            "the number of initializers, those of subgraphs included",
            "An initializer is a whole tensor; its parameters are its elements, the product of its dims.",
            "initializers",
        ),
        Symptom(
            lambda s: _elements(_main(s)),
            "only the initializers of the main graph",
            "A subgraph has initializers of its own.",
            "subgraphs",
        ),
        Symptom(
            lambda s: _elements(t for t in _all(s) if t.data_location != TensorProto.EXTERNAL),
            "only the initializers whose data is in the model itself",
            "An external initializer has its dims in the model; only its data lies elsewhere.",
            "external-data",
        ),
        Symptom(
            _not_inputs,
            "only the initializers that are not graph inputs",
            "An initializer may be an input too: it is then the input's default value, and still stored in the model.",
            "initializers",
        ),
        Symptom(
            lambda s: _elements([*_all(s), *(a.t for node in _nodes(s.model) for a in node.attribute if a.HasField("t"))]),
            "the tensors of Constant nodes included",
            "A Constant is a node with a tensor in its attribute, not an initializer: it is counted among the operators.",
            "initializers",
        ),
        Symptom(
            lambda s: sum(prod(tensor.dims) for tensor in _all(s) if tensor.dims),
            "scalars counted as nothing",
            "A tensor without dims is a scalar: it has one element, the product of no numbers.",
            "initializers",
        ),
        Symptom(
            lambda s: sum(len(tensor.raw_data) for tensor in _all(s)),
            "the bytes of raw_data",
            "How many bytes an element takes depends on its type, and the data may lie in other fields. The dims give the elements.",
            "types",
        ),
    ),
    "bytes": (
        Symptom(
            lambda s: _size(s, ()),
            "the model without its external data",
            "The weights may lie in other files; the model names them in external_data, and they belong to its size.",
            "external-data",
        ),
        Symptom(
            lambda s: _size(s, _outside(s, _all(s), "location")),
            "a file once for each tensor in it",
            "Several tensors may share a file: collect the locations in a set before adding the sizes.",
            "external-data",
        ),
        Symptom(
            lambda s: _size(s, set(_outside(s, _main(s), "location"))),
            "only the files that the main graph refers to",
            "A subgraph's initializers may be external too.",
            "subgraphs",
        ),
        Symptom(
            lambda s: _size(s, s.sizes),
            "every file in the directory",
            "Other files may lie in the directory. Those that belong to the model are named in its external_data.",
            "external-data",
        ),
        Symptom(
            lambda s: s.model.ByteSize() + sum(map(int, _outside(s, _all(s), "length"))),
            "the lengths of the tensors in the files",
            "A file may hold more than its tensors: gaps for alignment. What counts is the file's size on the disk.",
            "external-data",
        ),
        Symptom(
            lambda s: sum(s.sizes[name] for name in set(_outside(s, _all(s), "location"))),
            "the external data without the model itself",
            "The serialized model is a part of the size as well.",
            "bytes",
        ),
        Symptom(
            lambda s: sum(len(tensor.raw_data) for tensor in _all(s)),
            "the bytes of raw_data",
            "The size is that of the whole serialized model: nodes, names and everything else included.",
            "bytes",
        ),
    ),
}

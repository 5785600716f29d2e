"""Counting the shapes of a model, rightly or in a wrong way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import onnx
from onnx import GraphProto, ModelProto, ValueInfoProto

KNOWN = ("then_branch", "else_branch", "body")
CLASSES = ("static", "named", "unknown", "missing")


class Reading(NamedTuple):
    """A way to count values: which ones (`scope`), where their declarations are looked up, how one
    is judged, after inference or not.
    """

    scope: str = ""
    lookup: str = ""
    judge: str = ""
    inferred: str = ""


def count(model: ModelProto, way: Reading) -> tuple[int, ...]:
    counts = dict.fromkeys(CLASSES, 0)
    lists, bodies = way.scope != "no lists", way.scope != "no bodies"
    walk = list(_preorder(model.graph, lists=lists, bodies=bodies))
    if way.scope == "known attributes":
        walk = list(_preorder(model.graph, known=True))
    tables = [
        (graph, depth, {v.name: v for v in _declared(graph, way, depth == 0)})
        for graph, depth in walk
    ]
    merged: dict[str, ValueInfoProto] = {}
    for _, _, table in tables if way.lookup in ("last", "first") else ():
        merged = {**merged, **table} if way.lookup == "last" else {**table, **merged}
    seen: set[str] = set()
    for graph, depth, own in tables:
        if way.lookup == "so far":
            merged.update(own)
        if (
            (way.scope == "main" and depth)
            or (way.scope == "one level" and depth > 1)
            or (way.scope == "two levels" and depth > 2)
        ):
            continue
        main = tables[0][2]
        table = {
            **{"": own, "no outputs": own, "main outputs": own, "main": main},
            # Branches have no inputs.
            "main for bodies": {**main, **own} if graph.input else own,
        }.get(way.lookup, merged)
        for name in _values(graph, way):
            if way.scope == "once" and name in seen:
                continue
            seen.add(name)
            counts[_judge(table.get(name), way.judge)] += 1
        if way.scope == "initializers":
            counts["static"] += len(graph.initializer)
    return tuple(counts.values())


def leaves_undeclared(model: ModelProto) -> bool:
    """Whether a node writes a value that its graph declares nowhere, not even by its type."""
    right = Reading()
    return any(
        set(_values(graph, right)) - {v.name for v in _declared(graph, right)} - {""}
        for graph, _ in _preorder(model.graph)
    )


def _preorder(
    graph: GraphProto,
    *,
    lists: bool = True,
    bodies: bool = True,
    known: bool = False,
    depth: int = 0,
) -> Iterator[tuple[GraphProto, int]]:
    """The graph and those inside it in the order of the file, as a student's walk meets them;
    without `lists` not those in lists, without `bodies` not those of loops, and with `known` of
    single graphs those alone whose attributes the standard names.
    """
    yield graph, depth
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name == "body" and not bodies:
                continue
            # A field that is not set is an empty graph.
            alone = [] if known and attribute.name not in KNOWN else [attribute.g]
            for child in [*alone, *(attribute.graphs if lists else ())]:
                yield from _preorder(
                    child, lists=lists, bodies=bodies, known=known, depth=depth + 1
                )


def _declared(graph: GraphProto, way: Reading, is_main: bool = False) -> Iterator[ValueInfoProto]:
    yield from graph.input
    yield from graph.value_info
    if way.lookup != "no outputs" and (way.lookup != "main outputs" or is_main):
        yield from graph.output


def _values(graph: GraphProto, way: Reading) -> Iterator[str]:
    if way.scope in ("declarations", "value_info"):
        yield from (v.name for v in graph.value_info)
        yield from (v.name for v in graph.output if way.scope == "declarations")
        return
    for node in graph.node:
        names = list(node.output[:1] if way.scope == "first" else node.output)
        yield from (name for name in names if name or way.scope == "empty")
    if way.scope == "inputs":
        yield from (v.name for v in graph.input)


def _judge(value: ValueInfoProto | None, judge: str) -> str:
    """The class of one declaration, right or with the named mistake."""
    if value is None:
        return "missing"
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        return "static" if judge == "bare" else "missing"
    if judge == "scalar" and not kind.shape.dim:
        return "missing"
    if judge == "present":
        return "static"
    if judge.startswith("numbers or"):
        return (
            "static"
            if all(dim.dim_value for dim in kind.shape.dim)
            else judge.removeprefix("numbers or ")
        )
    marks = [_mark(dim, judge) for dim in kind.shape.dim]
    order = ("named", "unknown") if judge == "any name" else ("unknown", "named")
    return next((mark for mark in order if mark in marks), "static")


def _mark(dim: onnx.TensorShapeProto.Dimension, judge: str) -> str:
    if dim.WhichOneof("value") == "dim_value":
        return "unknown" if judge == "zero" and not dim.dim_value else "static"
    if not dim.dim_param:
        return "static" if judge == "gaps static" else "unknown"
    name = dim.dim_param
    made_up = {
        "any unk": name.startswith("unk"),
        "any case": name.lower().startswith("unk__"),
        "one underscore": name.startswith("unk_"),
        "anywhere": "unk__" in name,
        "invented": False,
        "numbered": name.removeprefix("unk__").isdecimal(),
    }.get(judge, name.startswith("unk__"))
    return "unknown" if made_up else "named"

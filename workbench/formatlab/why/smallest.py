"""The fewest nodes that still show what a session's optimization does, with the inputs recorded there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import ModelProto, NodeProto, ValueInfoProto, helper

from formatlab.diff.parts import Whole, flat, reads
from formatlab.numerics import Feeds
from formatlab.why import levels, runs

TRIES = 200


@dataclass(eq=False, kw_only=True)
class Smallest:
    """`output` is the node whose result is another one, `feeds` what `model` is given."""

    nodes: list[NodeProto]
    output: NodeProto
    model: ModelProto
    feeds: list[Feeds]


def smallest(
    model: ModelProto,
    feeds: Sequence[Feeds],
    level: str,
    measure: levels.Measure,
    left: Callable[[], bool],
) -> Smallest | None:
    """Return the smallest group of nodes that was found, by taking ever fewer (ddmin), None where the
    recorded parts do not show it. Fused nodes count together, so one node alone rarely does.
    """
    whole = Whole(flat(model))
    names = list(whole.writers)
    recorded = runs.run(runs.with_outputs(whole.proto, names), feeds)
    values = [
        {**each, **dict(zip(names, run, strict=True))}
        for each, run in zip(feeds, recorded, strict=True)
    ]
    floor = _floor(measure)

    def fails(nodes: list[int]) -> bool:
        try:
            part, given = _part(whole, nodes, values)
            base = levels.outputs(part, given, "DISABLE_ALL")
            found = levels.outputs(part, given, level)
        except Exception:  # a group that cannot run by itself  # noqa: BLE001
            return False
        return levels.Measure.level(base, found) < floor

    nodes = list(range(len(whole.proto.graph.node)))
    if not fails(nodes):
        return None
    tries = 0
    chunk = max(1, len(nodes) // 2)
    while chunk >= 1 and tries < TRIES and left():
        reduced = False
        for start in range(0, len(nodes), chunk):
            fewer = nodes[:start] + nodes[start + chunk :]
            tries += 1
            if fewer and fails(fewer):
                nodes = fewer
                reduced = True
                break
            if tries >= TRIES or not left():
                break
        if not reduced:
            if chunk == 1:
                break
            chunk //= 2
        else:
            chunk = max(1, min(chunk, len(nodes) // 2))
    part, given = _part(whole, nodes, values)
    protos = [whole.proto.graph.node[at] for at in nodes]
    return Smallest(nodes=protos, output=_last(protos), model=part, feeds=given)


def _floor(measure: levels.Measure) -> float:
    """Below this a part is as wrong as the whole: rounding of float32 keeps some 130 dB, and one step
    of eight bits some 40.
    """
    return 100.0 if measure.exact is not None else 30.0


def _last(nodes: list[NodeProto]) -> NodeProto:
    moves = {"DequantizeLinear", "QuantizeLinear", "Cast", "Identity", "Reshape", "Transpose"}
    computing = [node for node in nodes if node.op_type not in moves]
    return (computing or nodes)[-1]


def _part(
    whole: Whole, places: list[int], values: Sequence[Feeds]
) -> tuple[ModelProto, list[Feeds]]:
    nodes = [whole.proto.graph.node[at] for at in places]
    written = {name for node in nodes for name in node.output if name}
    wanted = dict.fromkeys(name for node in nodes for name in reads(node))
    inputs = [name for name in wanted if name not in written and name not in whole.stored]
    read = set(wanted)
    outputs = [
        name
        for node in nodes
        for name in node.output
        if name and (name not in read or name in whole.outputs)
    ]
    graph = helper.make_graph(
        nodes,
        "part",
        [_declared(name, values[0][name], whole) for name in inputs],
        [ValueInfoProto(name=name) for name in outputs],
        [whole.stored[name] for name in wanted if name in whole.stored],
    )
    model = helper.make_model(
        graph, opset_imports=list(whole.proto.opset_import), ir_version=whole.proto.ir_version
    )
    return model, [{name: each[name] for name in inputs} for each in values]


def _declared(name: str, value: np.ndarray, whole: Whole) -> ValueInfoProto:
    """With as many sizes as the value has, none of them known: some fusions depend on that."""
    for each in whole.proto.graph.input:
        if each.name == name:
            return each
    shape = [f"{name}:{axis}" for axis in range(value.ndim)]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)

"""What the judges of exercises about models need: the report on a call, inputs to run a model on,
and words for what is in a graph.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, TensorProto

from formatlab import graphs, loading, numerics
from formatlab.loading import Unloadable
from formatlab_exercises.shared.judge.constants import numbers_of
from formatlab_exercises.shared.surgery import MODEL, REPORT
from nbjudge.contract import Answer, Case
from nbjudge.rungs import outcome


def name_of(name: str, limit: int = 60) -> str:
    return repr(name if len(name) <= limit else name[: limit - 1] + "…")


def listed(operators: Counter[str]) -> str:
    """`Add (2), MatMul (1)`: at most six operators."""
    shown = [f"{name} ({count})" for name, count in sorted(operators.items()) if count]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")


def report(answer: Answer) -> dict | None:
    """The report that `Surgery.call` wrote; None when it is anything else (the runner box is not
    trusted).
    """
    return (
        outcome.report(answer, REPORT, argument_changed=bool, again=str)
        if MODEL in answer.files
        else None
    )


def refusal(case: Case, problem: Unloadable, what: str = "model") -> str:
    """What was found where something is not accepted. On a hidden case nothing that repeats text out
    of the student's file is said.
    """
    return problem.found if case.public or not problem.quotes else f"it refuses the {what}"


def inputs_of(case: Case) -> list[numerics.Feeds]:
    """The inputs on which a case's model is run: `integers` and `shapes` in its parameters say what
    the model does not.
    """
    shapes = case.parameters.get("shapes", {})
    return numerics.feeds(
        loading.parse(case.files[MODEL]), case.seed, case.parameters["integers"], shapes=shapes
    )


@lru_cache(maxsize=64)
def liveness_of(data: bytes) -> graphs.Liveness:
    """What of a case's model serves its outputs."""
    return leftovers(loading.parse(data))


def leftovers(model: ModelProto) -> graphs.Liveness:
    return graphs.liveness(ir.from_proto(model))


@lru_cache(maxsize=64)
def unread_in(data: bytes) -> frozenset[str]:
    """The names of a case's model that a node writes and nothing reads."""
    return frozenset(
        value.name
        for graph in ir.from_proto(loading.parse(data)).graphs()
        for value in _unread(graph)
        if value.name
    )


def leftovers_of_edit(data: bytes, model: ModelProto) -> tuple[Counter[str], list[str], int]:
    """Of an edited model, what the edit left over: nodes by operator, initializers, Constants. What
    nothing read in the case's model `data` may have stayed, with all that it reads.
    """
    copy, kept, before = ir.from_proto(model), unread_in(data), liveness_of(data)
    for graph in copy.graphs():
        graph.outputs.extend([value for value in _unread(graph) if value.name in kept])
    after = graphs.liveness(copy)
    return (
        after.dead - before.dead,
        sorted(set(after.unused_initializers) - set(before.unused_initializers)),
        max(0, after.unused_constants - before.unused_constants),
    )


def _unread(graph: ir.Graph) -> list[ir.Value]:
    return [
        value
        for node in graph
        for value in node.outputs
        if value.name and not value.uses() and not value.is_graph_output()
    ]


def stand_ins(model: ModelProto) -> int:
    """How many Identity nodes write something else than an output of their graph."""
    count = 0
    for graph, _ in graphs.walk(model.graph):
        kept = {value.name for value in graph.output}
        count += sum(
            node.op_type == "Identity" and not kept.intersection(node.output) for node in graph.node
        )
    return count


def edited_initializers(original: ModelProto, model: ModelProto) -> set[str]:
    """The names of those whose value changed."""
    before, now = (
        {tensor.name: tensor for tensor in which.graph.initializer} for which in (original, model)
    )
    return {name for name in before.keys() & now.keys() if not _is_equal(before[name], now[name])}


def _is_equal(first: TensorProto, second: TensorProto) -> bool:
    """Whether two tensors hold the same numbers, or the same texts."""
    numbers, other_numbers = numbers_of(first), numbers_of(second)
    if numbers is None or other_numbers is None:
        texts, others = ((list(each.dims), list(each.string_data)) for each in (first, second))
        return texts == others
    return np.array_equal(numbers, other_numbers)

"""What the judges of exercises about models need: the report on a call, inputs to run a model on,
and words for what is in a graph.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import onnx_ir as ir
from onnx import ModelProto
from onnx.numpy_helper import to_array

from formatlab import graphs, loading, numerics
from formatlab.loading import Unloadable
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
    return {
        name
        for name in before.keys() & now.keys()
        if not np.array_equal(to_array(before[name]), to_array(now[name]))
    }

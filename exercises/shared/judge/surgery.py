"""What is asked of every function that makes a model out of a model: it loads, keeps its signature, and computes what it should.

An exercise binds its own words to these with functions of three lines. A hidden case's finding names no value of the model: what a
student's code writes into a name could carry the hidden input out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, ValueInfoProto

from autograder.contract import Answer, Case, Finding, Judge, Reference
from autograder.rungs import outcome
from autograder.wire import WireError, safe_json
from exercises.shared.surgery import MODEL, REPORT
from workbench import graphs, loading, numerics
from workbench.graphs import Unwritten
from workbench.loading import Unloadable
from workbench.numerics import Difference


class SurgeryJudge(Judge):
    """A case's `again` asks for a second call on the first one's result; `integers` and `shapes` are those of `numerics.feeds`."""

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/<position>`."""
        return numerics.pack([outputs[0] for outputs in numerics.run(answer.files[MODEL], inputs_of(case))])


def name_of(name: str, limit: int = 60) -> str:
    return repr(name if len(name) <= limit else name[: limit - 1] + "…")


def listed(operators: Counter[str]) -> str:
    """`Add (2), MatMul (1)`: at most six operators."""
    shown = [f"{name} ({count})" for name, count in sorted(operators.items()) if count]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")


def report(answer: Answer) -> dict | None:
    """The report that `Surgery.call` wrote; None when it is anything else (the runner box is not trusted)."""
    try:
        found = safe_json(answer.files.get(REPORT, b""))
    except WireError:
        return None
    good = isinstance(found, dict) and isinstance(found.get("argument_changed"), bool) and isinstance(found.get("again"), str)
    return found if good and MODEL in answer.files else None


def is_model(case: Case, answer: Answer, reference: Reference, twist: str, read: str) -> Finding | None:
    """The function returns, and what it returns is a ModelProto. `twist` says what is special about the case."""
    expected = "an onnx.ModelProto (gs.export_onnx and onnx_ir.to_proto make one)"
    finding = outcome.returns(expected, read)(case, answer, reference)
    if finding is not None and answer.outcome == "raised":
        return replace(finding, cause=f"{finding.cause} The case: {twist}")
    if finding is None and report(answer) is None:
        return Finding(expected, "no readable answer", "The notebook interfered with how the answer is written down.", read)
    return finding


def loads(
    case: Case,
    answer: Answer,
    page: str,
    unwritten: Callable[[ModelProto, list[Unwritten]], Finding],
    output_twice: Callable[[], Finding],
    refused: Callable[[ModelProto, Unloadable], Finding | None] = lambda model, problem: None,
) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime.

    `refused` may know better than the library why a model is not accepted.
    """
    data = answer.files[MODEL]
    domains = frozenset(graphs.domain(node.domain) for node in graphs.nodes(loading.parse(case.files[MODEL]))) | {""}
    try:
        loading.refuse(data, loading.Caps.around(case.files[MODEL]), domains)
        found = graphs.unwritten(loading.parse(data))
        if found:
            return unwritten(loading.parse(data), found)
        names = [value.name for value in loading.parse(data).graph.output]
        if len(set(names)) < len(names):
            return output_twice()
        try:
            loading.validate(data)
        except Unloadable as problem:
            finding = refused(loading.parse(data), problem)
            if finding:
                return finding
            raise
    except Unloadable as problem:
        found = problem.found if case.public or not problem.quotes else "it refuses the model"
        return Finding(problem.expected, found, problem.cause, f"{page}#proving-equivalence")
    return None


def keeps_signature(case: Case, answer: Answer, page: str, writer: str) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's.

    `writer` is what the exercise takes out, with its article (`a Dropout`).
    """
    if report(answer)["argument_changed"]:
        return Finding(
            "a new model, and the argument as it was before the call",
            "the model that was passed in is changed",
            "The nodes are edited where they lie. Copy first: new = onnx.ModelProto(); new.CopyFrom(model).",
            f"{page}#rewiring",
        )
    original, model = loading.parse(case.files[MODEL]), loading.parse(answer.files[MODEL])
    for kind in ("input", "output"):
        finding = _compare_values(case, kind, getattr(original.graph, kind), getattr(model.graph, kind), page, writer)
        if finding:
            return finding
    return _compare_imports(original, model, page)


def _compare_values(
    case: Case, kind: str, expected: list[ValueInfoProto], found: list[ValueInfoProto], page: str, writer: str
) -> Finding | None:
    names = [[value.name for value in values] for values in (expected, found)]
    if names[0] != names[1]:
        return _renamed(case, kind, *names, page, writer)
    for want, have in zip(expected, found, strict=True):
        if _type(want) != _type(have):
            return Finding(
                f"the type and shape of each graph {kind} as in the argument{f': {_show(want)}' if case.public else ''}",
                _show(have) if case.public else f"a graph {kind} of another type or shape",
                "A shape that is fixed, or lost, in the copy: keep the graph's own inputs and outputs, symbolic dimensions included.",
                f"{page}#graph-outputs",
            )
    return None


def _renamed(case: Case, kind: str, expected: list[str], found: list[str], page: str, writer: str) -> Finding:
    """A graph input or output that is missing, new, or in another place."""
    wanted = f"the graph's {kind}s are called as before, in the same order" + (
        f": {', '.join(map(name_of, expected))}" if case.public else ""
    )
    if sorted(expected) == sorted(found):
        text, cause = f"the {kind}s are in another order", "The list was built anew. Copy the graph's own."
    elif len(expected) != len(found):
        text, cause = (
            f"{len(found)} {kind}s instead of {len(expected)}",
            f"Who runs the model feeds every input and asks for every {kind} by name.",
        )
    else:
        text = f"{kind}s of other names" + (f": {', '.join(map(name_of, found))}" if case.public else "")
        cause = f"Who runs the model asks for its {kind}s by name. Where {writer} wrote an output, the name stays and the writer changes."
    return Finding(wanted, text, cause, f"{page}#graph-outputs")


def _compare_imports(original: ModelProto, model: ModelProto, page: str) -> Finding | None:
    imports = [{graphs.domain(entry.domain): entry.version for entry in which.opset_import} for which in (original, model)]
    if imports[0] == imports[1]:
        return None
    if imports[0].items() <= imports[1].items():
        return Finding(
            "the opset imports of the argument",
            f"imports of {len(imports[1]) - len(imports[0])} more domains",
            "The model was saved by a runtime's optimizer, which lists every domain that it knows. It is made to be run, not edited.",
            f"{page}#proving-equivalence",
        )
    return Finding(
        "the opset imports of the argument",
        "other versions",
        "The model was built anew, with the library's default versions or those of another export. Copy the argument and edit the copy.",
        f"{page}#what-a-graph-is",
    )


def computes(
    case: Case,
    answer: Answer,
    reference: Reference,
    does_not_run: Callable[[str], Finding],
    random: Callable[[], Finding],
    differs: Callable[[str, Difference], Finding],
) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    original, model = loading.parse(case.files[MODEL]), loading.parse(answer.files[MODEL])
    inputs = inputs_of(case)
    names = [value.name for value in original.graph.output]
    order = _order(names, [value.name for value in model.graph.output])
    allowed = numerics.tolerance(original)
    for level, repeat in (("ORT_DISABLE_ALL", 2), ("ORT_ENABLE_ALL", 1)):
        try:
            runs = numerics.run(answer.files[MODEL], inputs, level, repeat)
        except Exception as error:
            return does_not_run(loading.first_line(error))
        for expected, repeats in zip(numerics.unpack(reference), runs, strict=True):
            found = [[outputs[position] for position in order if position < len(outputs)] for outputs in repeats]
            if any(not _same(found[0], other) for other in found[1:]):
                return random()
            difference = numerics.compare(expected, found[0], names, allowed)
            if difference:
                return differs(level, difference)
    return None


def inputs_of(case: Case) -> list[numerics.Feeds]:
    """The inputs on which a case's model is run: `integers` and `shapes` in its parameters say what the model does not."""
    shapes = case.parameters.get("shapes", {})
    return numerics.feeds(loading.parse(case.files[MODEL]), case.seed, case.parameters["integers"], shapes=shapes)


def leftovers(model: ModelProto) -> graphs.Life:
    return graphs.life(ir.from_proto(model))


def stand_ins(model: ModelProto) -> int:
    """How many Identity nodes write something else than an output of their graph."""
    count = 0
    for graph, _ in graphs.walk(model.graph):
        kept = {value.name for value in graph.output}
        count += sum(node.op_type == "Identity" and not kept.intersection(node.output) for node in graph.node)
    return count


def _order(expected: list[str], found: list[str]) -> list[int]:
    """Where each expected output is found: by its name, or by its position once names were lost (which the contract has said)."""
    return [found.index(name) for name in expected] if sorted(expected) == sorted(found) else list(range(len(found)))


def _same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)]
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


def _type(value: ValueInfoProto) -> tuple:
    tensor = value.type.tensor_type
    dims = [dim.dim_param or dim.dim_value for dim in tensor.shape.dim]
    return tensor.elem_type, tensor.HasField("shape"), dims


def _show(value: ValueInfoProto) -> str:
    dims = ", ".join(str(dim.dim_param or dim.dim_value or "?") for dim in value.type.tensor_type.shape.dim)
    return f"{name_of(value.name)} [{dims}]"

"""The rungs of `dropout`. Each looks at one case; `dropout_symptoms` finds the words for what it sees."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, ValueInfoProto

from autograder.exercises import dropout_subject, dropout_symptoms
from autograder.exercises.base import Answer, Case, Finding, Reference
from autograder.exercises.dropout_cases import ANCHORS, TWISTS
from autograder.exercises.dropout_symptoms import PAGE, name_of
from autograder.rungs import graphs, loading, numerics, outcome
from autograder.wire import WireError, safe_json

MODEL, REPORT = "model.onnx", "report.json"
MOST_PER_MASK = 8


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    expected = "an onnx.ModelProto (gs.export_onnx and onnx_ir.to_proto make one)"
    read = f"{PAGE}#{ANCHORS.get(case.name, 'dropout')}"
    finding = outcome.returns(expected, read)(case, answer, reference)
    if finding is not None and answer.outcome == "raised":
        return replace(finding, cause=f"{finding.cause} In this case: {TWISTS.get(case.name, 'a BERT as the exporter writes it.')}")
    if finding is None and _report(answer) is None:
        return Finding(expected, "no readable answer", "The notebook interfered with how the answer is written down.", read)
    return finding


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime."""
    subject, data = dropout_subject.read(case.files[MODEL]), answer.files[MODEL]
    domains = frozenset(graphs.domain(node.domain) for node in graphs.nodes(subject.model)) | {""}
    try:
        loading.refuse(data, loading.Caps.around(case.files[MODEL]), domains)
        unwritten = graphs.unwritten(loading.parse(data))
        if unwritten:
            return dropout_symptoms.unwritten(case, subject, loading.parse(data), unwritten)
        names = [value.name for value in loading.parse(data).graph.output]
        if len(set(names)) < len(names):
            return dropout_symptoms.same_output_twice()
        loading.validate(data)
    except loading.Unloadable as problem:
        found = problem.found if case.public or not problem.quotes else "it refuses the model"
        return Finding(problem.expected, found, problem.cause, f"{PAGE}#proving-equivalence")
    return None


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's."""
    if _report(answer)["argument_changed"]:
        return Finding(
            "a new model, and the argument as it was before the call",
            "the model that was passed in is changed",
            "The nodes are edited where they lie. Copy first: new = onnx.ModelProto(); new.CopyFrom(model).",
            f"{PAGE}#rewiring",
        )
    original, model = dropout_subject.read(case.files[MODEL]).model, loading.parse(answer.files[MODEL])
    for kind in ("input", "output"):
        finding = _compare_values(case, kind, getattr(original.graph, kind), getattr(model.graph, kind))
        if finding:
            return finding
    return _compare_imports(original, model)


def _compare_values(case: Case, kind: str, expected: list[ValueInfoProto], found: list[ValueInfoProto]) -> Finding | None:
    names = [[value.name for value in values] for values in (expected, found)]
    if names[0] != names[1]:
        return dropout_symptoms.renamed(case, kind, *names)
    for want, have in zip(expected, found, strict=True):
        if _type(want) != _type(have):
            return Finding(
                f"the type and shape of each graph {kind} as in the argument{f': {_show(want)}' if case.public else ''}",
                _show(have) if case.public else f"a graph {kind} of another type or shape",
                "A shape that is fixed, or lost, in the copy: keep the graph's own inputs and outputs, symbolic dimensions included.",
                f"{PAGE}#graph-outputs",
            )
    return None


def _compare_imports(original: ModelProto, model: ModelProto) -> Finding | None:
    imports = [{graphs.domain(entry.domain): entry.version for entry in which.opset_import} for which in (original, model)]
    if imports[0] == imports[1]:
        return None
    if imports[0].items() <= imports[1].items():
        return Finding(
            "the opset imports of the argument",
            f"imports of {len(imports[1]) - len(imports[0])} more domains",
            "The model was saved by a runtime's optimizer, which lists every domain that it knows. It is made to be run, not edited.",
            f"{PAGE}#proving-equivalence",
        )
    return Finding(
        "the opset imports of the argument",
        "other versions",
        "The model was built anew, with the library's default versions or those of another export. Copy the argument and edit the copy.",
        f"{PAGE}#what-a-graph-is",
    )


def removes_only_dropout(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No Dropout is left, and of the other operators none is missing and none is new."""
    subject, model = dropout_subject.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    constant = set(graphs.constant_outputs(model)) - set(graphs.constant_outputs(subject.model))
    if constant:
        return dropout_symptoms.constant_output()
    if graphs.constant_elements(model) > graphs.constant_elements(subject.model) + MOST_PER_MASK * len(subject.masks):
        return dropout_symptoms.more_constants()
    left = [node for node in graphs.nodes(model) if dropout_subject.is_dropout(node)]
    if len(model.functions) > len(subject.model.functions) and not left:
        return dropout_symptoms.new_operators(Counter({"local function": len(model.functions)}))
    if left:
        return dropout_symptoms.left_over(subject, model, left)
    live = graphs.life(ir.from_proto(model)).live
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    missing, new = (count - Counter({"Identity": count["Identity"]}) for count in (subject.remaining - live, live - subject.remaining))
    if missing:
        return dropout_symptoms.missing(missing)
    helpers = Counter({name: count for name, count in new.items() if name in dropout_subject.MASK_OPERATORS})
    if new - helpers or helpers.total() > MOST_PER_MASK * len(subject.masks):
        return dropout_symptoms.new_operators(new)
    return None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    subject, data = dropout_subject.read(case.files[MODEL]), answer.files[MODEL]
    model = loading.parse(data)
    inputs = numerics.feeds(subject.model, case.seed, case.parameters["integers"])
    names = [value.name for value in subject.model.graph.output]
    order = _order(names, [value.name for value in model.graph.output])
    allowed = numerics.tolerance(subject.model)
    for level, repeat in (("ORT_DISABLE_ALL", 2), ("ORT_ENABLE_ALL", 1)):
        try:
            runs = numerics.run(data, inputs, level, repeat)
        except Exception as error:
            return dropout_symptoms.does_not_run(case, loading.first_line(error))
        for expected, repeats in zip(numerics.unpack(reference), runs, strict=True):
            found = [[outputs[position] for position in order if position < len(outputs)] for outputs in repeats]
            if any(not _same(found[0], other) for other in found[1:]):
                return dropout_symptoms.random()
            difference = numerics.compare(expected, found[0], names, allowed)
            if difference:
                return dropout_symptoms.differs(case, subject, model, level, difference)
    return None


def is_clean(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No stand-ins, nothing left over, and a second pass finds nothing to do."""
    subject, model = dropout_subject.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    stand_ins = _stand_ins(model) - _stand_ins(subject.model)
    if stand_ins > 0:
        return dropout_symptoms.stand_ins(stand_ins)
    life = graphs.life(ir.from_proto(model))
    if len(life.unused_initializers) > subject.unused_initializers:
        return dropout_symptoms.unused_initializers(case, life.unused_initializers)
    if life.unused_constants > subject.unused_constants or life.dead - subject.dead:
        return dropout_symptoms.dead_nodes(life.unused_constants, life.dead)
    if _report(answer)["again"] != "same":
        return dropout_symptoms.not_idempotent(_report(answer)["again"])
    return None


def _stand_ins(model: ModelProto) -> int:
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


def _report(answer: Answer) -> dict | None:
    """The report that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    try:
        report = safe_json(answer.files.get(REPORT, b""))
    except WireError:
        return None
    good = isinstance(report, dict) and isinstance(report.get("argument_changed"), bool) and isinstance(report.get("again"), str)
    return report if good and MODEL in answer.files else None


def _type(value: ValueInfoProto) -> tuple:
    tensor = value.type.tensor_type
    dims = [dim.dim_param or dim.dim_value for dim in tensor.shape.dim]
    return tensor.elem_type, tensor.HasField("shape"), dims


def _show(value: ValueInfoProto) -> str:
    dims = ", ".join(str(dim.dim_param or dim.dim_value or "?") for dim in value.type.tensor_type.shape.dim)
    return f"{name_of(value.name)} [{dims}]"

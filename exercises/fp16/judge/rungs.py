"""The rungs of `fp16`. Each looks at one case; `findings` has the words for what it sees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto

from formatlab import graphs, loading, numerics
from formatlab.loading import Unloadable
from formatlab_exercises.fp16.judge import case_facts, findings, findings_of_constants
from formatlab_exercises.fp16.judge.evaluate import evaluate, inputs_of
from formatlab_exercises.fp16.judge.findings import PAGE, SURGERY
from formatlab_exercises.fp16.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import models, signature, surgery_loading
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.rungs import outcome

READ = f"{PAGE}#conversion-routes"

_returns = outcome.returns("an onnx.ModelProto", READ, models.report)


def is_converted(view: View) -> Finding | None:
    """It returns a ModelProto some of whose numbers are float16 now."""
    finding = _returns(view)
    if finding is not None and view.answer.outcome == "raised":
        return findings.raised(view.case, view.answer, finding)
    if finding is not None or view.answer.outcome != "returned":
        return finding
    return _nothing_converted(view.case, view.answer)


def loads(view: View) -> Finding | None:
    """Within the caps, in order, accepted by the checker with full_check, by onnx-ir and by ONNX
    Runtime.
    """
    model = loading.parse(view.answer.files[MODEL])
    if model.functions or any(graphs.subgraphs(node) for node in graphs.nodes(model)):
        return findings.nested()
    finding = surgery_loading.loads(
        view, SURGERY, findings.unwritten, Mistakes.constant_given_out, findings.refused
    )
    return replace(finding, read=f"{PAGE}#validity") if finding else None


def keeps_signature(view: View) -> Finding | None:
    """Inputs and outputs keep their names and types."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        before, now = (
            {value.name: value.type.tensor_type.elem_type for value in getattr(m.graph, kind)}
            for m in (original, model)
        )
        if any(
            now.get(name) == TensorProto.FLOAT16 and type_ == TensorProto.FLOAT
            for name, type_ in before.items()
        ):
            return findings.half_border(kind)
    return signature.keeps_names(view, SURGERY, "a float32 node")


def is_float16(view: View) -> Finding | None:
    """Every constant is what its rounding says, and every node computes in the precision that the
    task gives it.
    """
    before, model = case_facts.read(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    stored = case_facts.constants(model)
    for name, numbers in before.constants.items():
        finding = _judge_constant(view.case, before, name, numbers, stored)
        if finding:
            return finding
    wide = sum(numbers.size for numbers in stored.values() if numbers.dtype == np.float32)
    may_be = before.full | before.spare | before.given_out
    may_be |= {name for name in before.defaults if before.constants[name].dtype == np.float32}
    if wide > sum(before.constants[name].size for name in may_be):
        return findings_of_constants.stored_twice()
    found = case_facts.precisions(model)
    operators = [
        {op: sum(n for (name, _), n in counts.items() if name == op) for op, _ in counts}
        for counts in (before.computes, found)
    ]
    if operators[0] != operators[1]:
        return findings.other_operators(*operators)
    late, early = found - before.computes, before.computes - found
    return findings.other_precision(late) if late or early else None


def _judge_constant(
    case: Case,
    before: case_facts.CaseFacts,
    name: str,
    want: np.ndarray,
    stored: dict[str, np.ndarray],
) -> Finding | None:
    half = case_facts.rounded(want) if want.dtype == np.float32 else want
    if name in before.given_out and name not in before.full:
        stored = _under_its_name(name, half, stored)
    if name not in stored:
        return findings_of_constants.constant_missing(case, name)
    have = stored[name]
    if have.shape != want.shape:
        return findings_of_constants.constant_reshaped(case, name)
    if (
        name in before.full | before.spare | before.defaults
        and have.dtype == want.dtype
        and np.array_equal(have, want)
    ):
        return None
    if name in before.full:
        return findings_of_constants.does_not_fit(have)
    if name in before.defaults:
        return findings_of_constants.default_changed()
    if have.dtype != half.dtype:
        return findings_of_constants.other_type(case, name, have, half)
    same = np.array_equal(have, half, equal_nan=have.dtype.kind == "f")
    return None if same else findings_of_constants.other_numbers(want, have)


def _under_its_name(name: str, half: np.ndarray, stored: dict) -> dict[str, np.ndarray]:
    """The constants, with that of an output of the graph under the output's name: a Cast writes the
    output, so that what is rounded has a new one.
    """
    alike = (
        numbers
        for numbers in stored.values()
        if numbers.dtype == half.dtype and np.array_equal(numbers, half, equal_nan=True)
    )
    found = next(alike, None)
    return stored if found is None else {**stored, name: found}


def means_the_same(view: View) -> Finding | None:
    """In true float16 the converted model's outputs are the reference's."""
    model = loading.parse(view.answer.files[MODEL])
    labels = [value.name for value in model.graph.output]
    allowed = tolerance(loading.parse(view.case.files[MODEL]))
    for feeds, expected in zip(inputs_of(view.case), numerics.unpack(view.reference), strict=True):
        try:
            found = _unbordered(evaluate(view.answer.files[MODEL], feeds), expected)
        except Exception as error:
            return findings.does_not_run(view.case, loading.first_line(error))
        difference = numerics.compare(expected, found, labels, allowed)
        if difference:
            return findings.differs(view.case, difference)
    return None


def has_casts_at_its_borders(view: View) -> Finding | None:
    """A Cast stands between each float32 input or output of the graph and the rest."""
    before, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    border = _uncast_border(before, model)
    return findings.no_cast_at_border(view.case, *border) if border else None


def is_clean(view: View) -> Finding | None:
    """No Cast without a purpose."""
    before, model = case_facts.read(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    known = case_facts.types(model)
    idle = [
        node
        for node in model.graph.node
        if node.op_type == "Cast" and known.get(node.input[0]) == known.get(node.output[0])
    ]
    if idle:
        return findings.idle_casts(view.case, [node.output[0] for node in idle])
    dead, unused, _ = models.leftovers_of_edit(view.case.files[MODEL], model)
    read = {name for node in before.model.graph.node for name in node.input}
    # A Constant that nothing read may have become an initializer.
    unused = [name for name in unused if name not in before.constants or name in read]
    if dead or unused:
        return findings.unread(dead, tuple(unused))
    casts = sum(node.op_type == "Cast" for node in model.graph.node)
    return findings.many_casts(casts, before.most_casts) if casts > before.most_casts else None


def _uncast_border(before: ModelProto, model: ModelProto) -> tuple[str, str] | None:
    """A float32 input that something else than a Cast to another type reads, or a float32 output
    that something else writes: ("input", its name).
    """
    known = case_facts.types(model)
    floats = {kind: _float_names(getattr(before.graph, kind)) for kind in ("input", "output")}
    both = floats["input"] & floats["output"]
    for node in model.graph.node:
        if node.op_type == "Cast" and known.get(node.input[0]) != known.get(node.output[0]):
            continue
        for kind, names in (("input", node.input), ("output", node.output)):
            if found := sorted((floats[kind] - both).intersection(names)):
                return kind, found[0]
    return None


def _float_names(values: Iterable[ValueInfoProto]) -> set[str]:
    return {value.name for value in values if value.type.tensor_type.elem_type == TensorProto.FLOAT}


def _unbordered(found: list[np.ndarray], expected: list[np.ndarray]) -> list[np.ndarray]:
    """float16 outputs as float32 where that was expected: the contract has said it."""
    if len(found) != len(expected):
        return found
    return [
        have.astype(want.dtype) if have.dtype == np.float16 and want.dtype == np.float32 else have
        for have, want in zip(found, expected, strict=True)
    ]


def tolerance(model: ModelProto) -> float:
    """How far two right answers may lie apart: four units in the last place of float16, times the
    root of the number of nodes.

    They do the same operations, but may round a value between two float32 nodes, or not; roundings
    point either way.
    """
    return 4 * float(np.finfo(np.float16).eps) * len(model.graph.node) ** 0.5


def _nothing_converted(case: Case, answer: Answer) -> Finding | None:
    """Breaks when no number at all became float16."""
    try:
        before, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    except Unloadable as problem:
        return Finding(problem.expected, problem.found, problem.cause, READ)
    kinds = {tensor.data_type for tensor in graphs.tensors(model)}
    if TensorProto.FLOAT16 in kinds or not before.half:
        return None
    integers = {"MatMulInteger", "ConvInteger", "DynamicQuantizeLinear", "QuantizeLinear"}
    if integers & (
        {node.op_type for node in model.graph.node}
        - {node.op_type for node in before.model.graph.node}
    ):
        return findings.QUANTIZED
    return findings.bfloat16() if TensorProto.BFLOAT16 in kinds else findings.NOT_CONVERTED

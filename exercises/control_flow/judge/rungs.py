"""The rungs of `control_flow`. Each looks at one exported model; the recipe of the case says what
it has to compute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper, inliner

from formatlab import graphs, loading, numerics
from formatlab_exercises.control_flow.ask import MODEL, SIGNATURES
from formatlab_exercises.control_flow.judge import cases, findings, misconceptions, opposite
from formatlab_exercises.control_flow.judge.findings import LOOPS, is_branch, section
from formatlab_exercises.control_flow.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import ruler, torch_errors
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Case, Finding, View
from nbjudge.findings import Cause
from nbjudge.rungs import outcome

CAPS = loading.Caps(bytes=1 << 20, nodes=2000, elements=20_000)
# From this error on, relative to the largest number, outputs are other ones.
CLOSE = 0.01
NAMES = {"export_branch": (["x"], ["y"]), "export_loop": (["state", "sequence"], ["result"])}


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    draw = cases.branch_inputs if is_branch(case) else cases.loop_inputs
    return draw(case.parameters, case.seed)


exists = outcome.exists_of(lambda case: (SIGNATURES[case.parameters["function"]], section(case)))


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns(
        "an onnx.ModelProto", section(view.case), lambda answer: answer.files.get(MODEL)
    )(view)
    if finding is None:
        return None
    if view.answer.error.get("found") == "ONNXProgram":
        cause = Mistakes.returns_program
        return replace(finding, found="an ONNXProgram", cause=cause, read=cause.read)
    return torch_errors.explained(finding, view.answer, findings.TORCH_CAUSES)


def loads(view: View) -> Finding | None:
    """Within the caps, and accepted by the checker and by ONNX Runtime."""
    data = view.answer.files[MODEL]
    try:
        loading.refuse(data, CAPS)
        loading.validate(data)
    except loading.Unloadable as problem:
        found = refusal(view.case, problem)
        cause = misconceptions.REFUSALS.get(problem.cause, problem.cause)
        return Finding(
            problem.expected,
            found,
            cause,
            "" if cause is not problem.cause else misconceptions.RECIPE,
        )
    return None


def has_the_signature(view: View) -> Finding | None:
    """As many inputs and outputs as the task gives, of their types and ranks, and the sequence's
    first axis is open.
    """
    wanted = NAMES[view.case.parameters["function"]]
    for kind, expected, values in zip(("input", "output"), wanted, _given(view), strict=True):
        if len(values) != len(expected):
            found = [value.name for value in values]
            return findings.other_names(view.case, kind, expected, found)
    return _other_values(view) or _fixed_length(view)


def has_the_names(view: View) -> Finding | None:
    """Inputs and output have the names and the order that the task gives."""
    wanted = NAMES[view.case.parameters["function"]]
    for kind, expected, values in zip(("input", "output"), wanted, _given(view), strict=True):
        found = [value.name for value in values]
        if found != expected:
            return findings.other_names(view.case, kind, expected, found)
    return None


def _given(view: View) -> tuple[list[ValueInfoProto], list[ValueInfoProto]]:
    """The model's inputs, without those that are initializers, and its outputs."""
    graph = loading.parse(view.answer.files[MODEL]).graph
    stored = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in stored], list(graph.output)


def _by_name(view: View) -> dict[str, ValueInfoProto]:
    """The model's inputs under the names of the task: by their place where their names are others."""
    given, _ = _given(view)
    found = {value.name: value for value in given}
    [names, _] = NAMES[view.case.parameters["function"]]
    return found if found.keys() == set(names) else dict(zip(names, given, strict=True))


def _other_values(view: View) -> Finding | None:
    given, [output] = _by_name(view), _given(view)[1]
    pairs = [(given[name], each) for name, each in inputs(view.case)[0].items()]
    pairs.append((output, view.reference["0/0"]))
    compared = (_compare_value(view.case, value, each) for value, each in pairs)
    return next(filter(None, compared), None)


def _fixed_length(view: View) -> Finding | None:
    if is_branch(view.case):
        return None
    dims = _by_name(view)["sequence"].type.tensor_type.shape.dim
    if not dims or not dims[0].HasField("dim_value"):
        return None
    expected = "a name, or nothing, for the length of sequence"
    found = f"{dims[0].dim_value}, the example's length" if view.case.public else "a number"
    return Finding(expected, found, Mistakes.fixed_length)


def _compare_value(case: Case, value: ValueInfoProto, example: np.ndarray) -> Finding | None:
    cause: Cause
    kind = value.type.tensor_type
    wanted = helper.np_dtype_to_tensor_dtype(example.dtype)
    if kind.elem_type != wanted:
        names = [TensorProto.DataType.Name(number).lower() for number in (wanted, kind.elem_type)]
        cause = Mistakes.other_types
        return Finding(f"{value.name}: {names[0]}", names[1], cause)
    if kind.HasField("shape") and len(kind.shape.dim) != example.ndim:
        cause = Mistakes.all_states
        found = (
            f"{len(kind.shape.dim)} dimensions" if case.public else "another number of dimensions"
        )
        return Finding(
            f"{value.name}: as many dimensions as in Python", found, cause, section(case)
        )
    return None


def chooses_and_repeats(view: View) -> Finding | None:
    """The model holds an If (or a Loop or Scan) that depends on the input, with the work of the
    functions inside it, and the output follows from that work.
    """
    model = loading.parse(view.answer.files[MODEL])
    if graphs.constant_outputs(model):
        expected, found = (
            "an output that depends on the inputs",
            "an output that depends on no input",
        )
        return Finding(expected, found, Mistakes.stored_result, section(view.case))
    model = inliner.inline_local_functions(model)
    counts = _operators(model, ("If",) if is_branch(view.case) else LOOPS)
    if is_branch(view.case):
        finding = findings.of_a_branch(view.case, model, *counts) or _both_at_once(view)
    else:
        finding = findings.of_a_loop(view.case, *counts)
    return finding or _computes_beside_it(view, model)


def _computes_beside_it(view: View, model: ModelProto) -> Finding | None:
    """The outputs follow from the work that stands in the If or the loop: with the sign of its
    functions turned, they are what plain Python would give then. What does not run, or gives other
    outputs as it is, is the next rung's.
    """
    operators = findings.marks(view.case)
    data, turned = (
        each.SerializeToString() for each in (model, opposite.with_turned(model, operators))
    )
    for values in inputs(view.case):
        want, due = (
            opposite.result(view.case.parameters, values, sign).astype(np.float64)
            for sign in (1, -1)
        )
        try:
            [[have], [found]] = (
                numerics.run(each, [_named(data, values)])[0][0] for each in (data, turned)
            )
        except Exception:  # of whichever runtime
            return None
        if not all(isinstance(each, np.ndarray) for each in (have, found)):
            return None  # a sequence, which other rungs judge
        if have.shape != want.shape or found.shape != want.shape:
            return None
        if numerics.relative_error(want, have) > CLOSE:
            return None
        response, move = found.astype(np.float64) - have, due - want
        if float((response * move).sum()) < float((move * move).sum()) / 2:
            return findings.beside(view.case)
    return None


def _both_at_once(view: View) -> Finding | None:
    """The If stands there, and what is run for one input is the work of both functions all the
    same. A model that does not run is the next rung's.
    """
    data, marks = view.answer.files[MODEL], findings.marks(view.case)
    for values in inputs(view.case)[:2]:
        try:
            ran = numerics.operators_run(data, _named(data, values))
        except numerics.TooExpensive as error:
            return findings.runs_for_long(error)
        except Exception:
            return None
        if marks <= ran:
            return findings.BOTH_AT_ONCE
    return None


def _operators(model: ModelProto, holders: tuple[str, ...]) -> tuple[Counter[str], Counter[str]]:
    """How many nodes of each operator stand inside the graphs of `holders`, and how many do not."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for name, held in _walk(model.graph, holders, False):
        (inside if held else outside)[name] += 1
    return inside, outside


def _walk(graph: GraphProto, holders: tuple[str, ...], held: bool) -> Iterator[tuple[str, bool]]:
    for node in graph.node:
        yield node.op_type, held
        for child in graphs.subgraphs(node):
            yield from _walk(child, holders, held or node.op_type in holders)


def computes_the_same(view: View) -> Finding | None:
    """The outputs are what Python gives on fresh inputs, without optimization and with all
    optimizations.
    """
    data, feeds = view.answer.files[MODEL], inputs(view.case)
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        runs = [_run(data, values, level) for values in feeds]
        differences = [_difference(view, run, found) for run, found in enumerate(runs)]
        if any(differences) and is_branch(view.case):
            return findings.other_branch(view.case, differences)
        if any(differences):
            lengths = [len(values["sequence"]) for values in feeds]
            return findings.other_state(view.case, lengths, differences)
    return None


def _run(data: bytes, values: dict, level: str) -> list | str:
    """The outputs, or why there are none."""
    try:
        [[found]] = numerics.run(data, [_named(data, values)], level)
    except Exception as error:
        return loading.first_line(error, 160)
    return found


def _difference(view: View, run: int, found: list | str) -> str:
    """How the output of one run differs, or the empty string. What float32 costs is known from all
    runs together.
    """
    if isinstance(found, str):
        return found
    right = numerics.unpack(
        {key: each for key, each in view.reference.items() if "exact" not in key}
    )
    runs = [found if place == run else each for place, each in enumerate(right)]
    difference = ruler.difference(view.reference, runs, ["the output"])
    return f"{difference.kind}: {difference.found}" if difference else ""


def outputs(case: Case, data: bytes) -> dict[str, np.ndarray]:
    """What the reference's model gives for each run, and what the recipe says in float64."""
    feeds = inputs(case)
    given = numerics.pack([each[0] for each in numerics.run(data, feeds)])
    exact = ([opposite.result(case.parameters, values, 1)] for values in feeds)
    return given | {f"{ruler.EXACT}{key}": each for key, each in numerics.pack(list(exact)).items()}


def _named(data: bytes, values: dict) -> dict:
    """Inputs by the names that the model has for them, by their place where these are others than
    the task's.
    """
    graph = loading.parse(data).graph
    stored = {tensor.name for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in stored]
    if set(names) == set(values):
        return values
    return dict(zip(names, values.values(), strict=True)) if len(names) == len(values) else values

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
from formatlab_exercises.control_flow.judge import cases, misconceptions, opposite
from formatlab_exercises.control_flow.judge.misconceptions import OPEN_AXES, Mistakes
from formatlab_exercises.shared.judge import ruler, torch_errors
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Case, Finding, View
from nbjudge.findings import Cause
from nbjudge.rungs import outcome

PAGE = "day-50/03-export"
LOOPS = ("Loop", "Scan")
CHOICE = "an If with the work of the two functions in its branches"
# What torch says when the example's values or lengths get into the program.
TORCH_CAUSES: dict[str, tuple[Cause, str]] = {
    "data-dependent": (Mistakes.raises_in_python_if, f"{PAGE}#branches"),
    "conflicts between user-specified ranges": (
        "A Python for loop goes over the example's elements, so that its length gets fixed.",
        f"{PAGE}#loops",
    ),
    "alias": (
        "torch's scan wants outputs that are tensors of their own: return state.clone() as the second one.",
        f"{PAGE}#loops",
    ),
    "dynamic_axes": (
        "The TorchScript-based exporter takes dynamic_axes, the other one dynamic_shapes.",
        OPEN_AXES,
    ),
}
BOTH_AT_ONCE = Finding(CHOICE, "the work of both functions for one input", Mistakes.where)

CAPS = loading.Caps(bytes=1 << 20, nodes=2000, elements=20_000)
# From this error on, relative to the largest number, outputs are other ones.
CLOSE = 0.01
NAMES = {"export_branch": (["x"], ["y"]), "export_loop": (["state", "sequence"], ["result"])}


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    draw = cases.branch_inputs if is_branch(case) else cases.loop_inputs
    return draw(case.parameters, case.seed)


def is_branch(case: Case) -> bool:
    return case.parameters["function"] == "export_branch"


def section(case: Case) -> str:
    return f"{PAGE}#branches" if is_branch(case) else f"{PAGE}#loops"


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
    return torch_errors.explained(finding, view.answer, TORCH_CAUSES)


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
            return other_names(view.case, kind, expected, found)
    return _other_values(view) or _fixed_length(view)


def other_names(case: Case, kind: str, expected: list[str], found: list[str]) -> Finding:
    cause: Cause
    wanted, shown = (
        f"the {kind}s {', '.join(expected)}",
        f": {', '.join(found)[:80]}" if case.public else "",
    )
    if len(found) == len(expected):
        return Finding(wanted, f"{kind}s of other names{shown}", Mistakes.own_names)
    if len(found) < len(expected):
        cause = Mistakes.frozen_state
    else:
        cause = "The function that is exported returns more than asked for: torch's scan gives the last state and the stacked outputs."
    return Finding(
        wanted, f"{len(found)} {kind}{'s' * (len(found) != 1)}{shown}", cause, f"{PAGE}#loops"
    )


def has_the_names(view: View) -> Finding | None:
    """Inputs and output have the names and the order that the task gives."""
    wanted = NAMES[view.case.parameters["function"]]
    for kind, expected, values in zip(("input", "output"), wanted, _given(view), strict=True):
        found = [value.name for value in values]
        if found != expected:
            return other_names(view.case, kind, expected, found)
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
        finding = of_a_branch(view.case, model, *counts) or _both_at_once(view)
    else:
        finding = of_a_loop(view.case, *counts)
    return finding or _computes_beside_it(view, model)


def of_a_branch(
    case: Case, model: ModelProto, inside: Counter[str], outside: Counter[str]
) -> Finding | None:
    """What is wrong with how a model chooses; `inside` counts the operators within an If."""
    expected, anywhere = CHOICE, inside + outside
    if not anywhere["If"] and len(labels_of(case) & anywhere.keys()) == 2:
        found = "no If: both branches are always computed"
        return Finding(expected, found, Mistakes.where)
    if not anywhere["If"]:
        return Finding(expected, "no If: one branch is missing", Mistakes.baked_branch)
    if labels_of(case) & outside.keys():
        return Finding(expected, "an If, and a branch's work outside of it", Mistakes.idle_if)
    if any(
        labels_of(case) <= {node.op_type for node in graph.node}
        for graph, _ in graphs.walk(model.graph)
    ):
        found = "an If, and both functions in one place"
        return Finding(expected, found, Mistakes.where_in_if)
    return None


def labels_of(case: Case) -> set[str]:
    """The operators that tell the work of the two functions apart, or that of the step."""
    if not is_branch(case):
        return {cases.OPERATORS[case.parameters["name"]]}
    return {cases.OPERATORS[piece["name"]] for piece in case.parameters["branches"]}


def of_a_loop(case: Case, inside: Counter[str], outside: Counter[str]) -> Finding | None:
    """What is wrong with how a model repeats; `inside` counts the operators within a loop."""
    expected = "a Loop or a Scan with the work of the step in its body"
    copies = outside[cases.OPERATORS[case.parameters["name"]]]
    if not any((inside + outside)[name] for name in LOOPS):
        times = copies if case.public else "several"
        found = f"neither: the step stands there {times} times"
        return Finding(expected, found, Mistakes.unrolled_loop)
    if copies == 1:
        return Finding(expected, "a loop, and one step outside of it", Mistakes.step_beside)
    if copies:
        cause = "The loop does not do the steps: their work stands beside it, as often as the example had elements."
        return Finding(expected, "a loop, and a step's work outside of it", cause, f"{PAGE}#loops")
    return None


def _computes_beside_it(view: View, model: ModelProto) -> Finding | None:
    """The outputs follow from the work that stands in the If or the loop: with the sign of its
    functions turned, they are what plain Python would give then. What does not run, or gives other
    outputs as it is, is the next rung's.
    """
    operators = labels_of(view.case)
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
            return beside(view.case)
    return None


def beside(case: Case) -> Finding:
    """The work stands where it should, and something else makes the output."""
    expected = "an output that follows from the work in the If, or in the loop"
    found = f"the work of {' and '.join(sorted(labels_of(case)))} is disturbed, and the output does not follow"
    found = found if case.public else "work on which no output depends"
    return Finding(expected, found, Mistakes.idle_work)


def _both_at_once(view: View) -> Finding | None:
    """The If stands there, and what is run for one input is the work of both functions all the
    same. A model that does not run is the next rung's.
    """
    data, marks = view.answer.files[MODEL], labels_of(view.case)
    for values in inputs(view.case)[:2]:
        try:
            ran = numerics.operators_run(data, _named(data, values))
        except numerics.TooExpensive as error:
            return runs_for_long(error)
        except Exception:
            return None
        if marks <= ran:
            return BOTH_AT_ONCE
    return None


def runs_for_long(error: Exception) -> Finding:
    cause = "The model does far more than the predicate and one of the two functions."
    return Finding(CHOICE, str(error), cause, f"{PAGE}#branches")


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
            return other_branch(view.case, differences)
        if any(differences):
            lengths = [len(values["sequence"]) for values in feeds]
            return other_state(view.case, lengths, differences)
    return None


def other_branch(case: Case, differences: list[str]) -> Finding:
    """Outputs differ: `differences` says how, in turn where the predicate says True and False."""
    wanted = (
        "the output of then_fn where the predicate says True, that of else_fn where it says False"
    )
    quoted = _quoted(case, differences)
    wrong = {True: any(differences[::2]), False: any(differences[1::2])}
    if all(wrong.values()):
        return Finding(wanted, f"wrong on both sides{quoted}", Mistakes.other_side)
    right = wrong[False]
    found = f"right where the predicate says {right}, wrong where it says {not right}{quoted}"
    return Finding(wanted, found, Mistakes.one_side_twice)


def _quoted(case: Case, differences: list[str]) -> str:
    """The first of them, in brackets; of a hidden case nothing."""
    return f" ({next(filter(None, differences))})" if case.public else ""


def other_state(case: Case, lengths: list[int], differences: list[str]) -> Finding:
    """Outputs differ: `differences` says how, for sequences of these lengths, the first of which is
    the example's.
    """
    wanted = "the state after all steps, whatever the length of the sequence and the initial state"
    quoted = _quoted(case, differences)
    wrong = [length for length, text in zip(lengths, differences, strict=True) if text]
    if lengths[0] not in wrong:
        found = (
            f"right at the example's length {lengths[0]}, wrong at {', '.join(map(str, wrong))}"
            if case.public
            else "wrong at other lengths"
        )
        return Finding(wanted, f"{found}{quoted}", Mistakes.fixed_steps)
    if 1 not in wrong:
        found = f"right for one step, wrong for more{quoted}"
        return Finding(wanted, found, Mistakes.backwards)
    return Finding(wanted, f"wrong at every length{quoted}", Mistakes.other_start)


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

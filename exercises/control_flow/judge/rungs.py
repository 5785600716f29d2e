"""The rungs of `control_flow`. Each looks at one exported model; the recipe of the case says what
it has to compute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper, inliner

from autograder.contract import Case, Finding, View
from autograder.rungs import outcome
from exercises.control_flow.ask import MODEL, SIGNATURES
from exercises.control_flow.judge import cases, misconceptions
from exercises.shared.judge.models import refusal
from workbench import graphs, loading, numerics

PAGE = "day-50/03-export"
CAPS = loading.Caps(bytes=1 << 20, nodes=2000, elements=20_000)
LOOPS = ("Loop", "Scan")
NAMES = {"export_branch": (["x"], ["y"]), "export_loop": (["state", "sequence"], ["result"])}
# What torch says when the example's values or lengths get into the program.
TORCH_CAUSES = {
    "data-dependent": (
        misconceptions.raises_in_python_if,
        "branches",
    ),
    "conflicts between user-specified ranges": (
        "A Python for loop goes over the example's elements, so that its length gets fixed.",
        "loops",
    ),
    "alias": (
        "torch's scan wants outputs that are tensors of their own: return state.clone() as the second one.",
        "loops",
    ),
    "dynamic_axes": (
        "The TorchScript-based exporter takes dynamic_axes, the other one dynamic_shapes.",
        "dynamic-dimensions",
    ),
}


def _is_branch(case: Case) -> bool:
    return case.parameters["function"] == "export_branch"


def _read(case: Case) -> str:
    return f"{PAGE}#branches" if _is_branch(case) else f"{PAGE}#loops"


def inputs(case: Case) -> list[dict[str, np.ndarray]]:
    draw = cases.branch_inputs if _is_branch(case) else cases.loop_inputs
    return draw(case.parameters, case.seed)


exists = outcome.exists_of(lambda case: (SIGNATURES[case.parameters["function"]], _read(case)))


def is_model(view: View) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    finding = outcome.returns(
        "an onnx.ModelProto", _read(view.case), lambda answer: answer.files.get(MODEL)
    )(view)
    if finding is None:
        return None
    if view.answer.error.get("found") == "ONNXProgram":
        cause = misconceptions.returns_program
        return replace(finding, found="an ONNXProgram", cause=cause, read=f"{PAGE}#two-exporters")
    text = view.answer.error.get("text", "")
    cause, anchor = next(
        (words for sign, words in TORCH_CAUSES.items() if sign in text), (finding.cause, "")
    )
    return replace(finding, cause=cause, read=f"{PAGE}#{anchor}") if anchor else finding


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
            "" if cause is not problem.cause else f"{PAGE}#two-exporters",
        )
    return None


def has_the_signature(view: View) -> Finding | None:
    """Inputs and outputs have the names, types and ranks that the task gives, and the sequence's
    first axis is open.
    """
    graph = loading.parse(view.answer.files[MODEL]).graph
    stored = {tensor.name for tensor in graph.initializer}
    given = [
        [value.name for value in values if value.name not in stored]
        for values in (graph.input, graph.output)
    ]
    for kind, expected, found in zip(
        ("input", "output"), NAMES[view.case.parameters["function"]], given, strict=True
    ):
        if found != expected:
            return _other_names(view.case, kind, expected, found)
    by_name = {value.name: value for value in (*graph.input, *graph.output)}
    for name, example in (*inputs(view.case)[0].items(), (given[1][0], view.reference["0/0"])):
        finding = _compare_value(view.case, by_name[name], example)
        if finding:
            return finding
    dims = by_name["sequence"].type.tensor_type.shape.dim if not _is_branch(view.case) else ()
    if dims and dims[0].HasField("dim_value"):
        cause = misconceptions.fixed_length
        found = f"{dims[0].dim_value}, the example's length" if view.case.public else "a number"
        return Finding(
            "a name, or nothing, for the length of sequence",
            found,
            cause,
            f"{PAGE}#dynamic-dimensions",
        )
    return None


def _other_names(case: Case, kind: str, expected: list[str], found: list[str]) -> Finding:
    wanted, shown = (
        f"the {kind}s {', '.join(expected)}",
        f": {', '.join(found)[:80]}" if case.public else "",
    )
    if len(found) == len(expected):
        cause = misconceptions.own_names
        return Finding(wanted, f"{kind}s of other names{shown}", cause, f"{PAGE}#two-exporters")
    if len(found) < len(expected):
        cause = misconceptions.frozen_state
    else:
        cause = "The function that is exported returns more than asked for: torch's scan gives the last state and the stacked outputs."
    return Finding(
        wanted, f"{len(found)} {kind}{'s' * (len(found) != 1)}{shown}", cause, f"{PAGE}#loops"
    )


def _compare_value(case: Case, value: ValueInfoProto, example: np.ndarray) -> Finding | None:
    kind = value.type.tensor_type
    wanted = helper.np_dtype_to_tensor_dtype(example.dtype)
    if kind.elem_type != wanted:
        names = [TensorProto.DataType.Name(number).lower() for number in (wanted, kind.elem_type)]
        cause = "The model takes and gives the types of the example's tensors."
        return Finding(f"{value.name}: {names[0]}", names[1], cause, f"{PAGE}#two-exporters")
    if kind.HasField("shape") and len(kind.shape.dim) != example.ndim:
        cause = misconceptions.all_states
        found = (
            f"{len(kind.shape.dim)} dimensions" if case.public else "another number of dimensions"
        )
        return Finding(f"{value.name}: as many dimensions as in Python", found, cause, _read(case))
    return None


def chooses_and_repeats(view: View) -> Finding | None:
    """The model holds an If (or a Loop or Scan) that depends on the input, with the work of the
    functions inside it.
    """
    model = loading.parse(view.answer.files[MODEL])
    if graphs.constant_outputs(model):
        cause = (
            "The result for the example is stored in the model. Another input needs another output."
        )
        return Finding(
            "an output that depends on the inputs",
            "an output that depends on no input",
            cause,
            _read(view.case),
        )
    model = inliner.inline_local_functions(model)
    return (
        _branch_structure(view.case, model)
        if _is_branch(view.case)
        else _loop_structure(view.case, model)
    )


def _branch_structure(case: Case, model: ModelProto) -> Finding | None:
    expected = "an If with the work of the two functions in its branches"
    inside, outside = _operators(model, ("If",))
    marks = {cases.OPERATORS[piece["name"]] for piece in case.parameters["branches"]}
    anywhere = inside + outside
    if not anywhere["If"]:
        if len(marks & anywhere.keys()) == 2:
            cause = misconceptions.where
            return Finding(
                expected, "no If: both branches are always computed", cause, f"{PAGE}#branches"
            )
        cause = misconceptions.baked_branch
        return Finding(expected, "no If: one branch is missing", cause, f"{PAGE}#branches")
    if marks & outside.keys():
        cause = misconceptions.idle_if
        return Finding(
            expected, "an If, and a branch's work outside of it", cause, f"{PAGE}#branches"
        )
    if any(marks <= {node.op_type for node in graph.node} for graph, _ in graphs.walk(model.graph)):
        cause = misconceptions.where_in_if
        return Finding(
            expected, "an If, and both functions in one place", cause, f"{PAGE}#branches"
        )
    return None


def _loop_structure(case: Case, model: ModelProto) -> Finding | None:
    expected = "a Loop or a Scan with the work of the step in its body"
    inside, outside = _operators(model, LOOPS)
    mark = cases.OPERATORS[case.parameters["name"]]
    if not any((inside + outside)[name] for name in LOOPS):
        copies = outside[mark]
        found = (
            f"neither: the step stands there {copies} times"
            if case.public
            else "neither: the step stands there several times"
        )
        cause = misconceptions.unrolled_loop
        return Finding(expected, found, cause, f"{PAGE}#loops")
    if outside[mark]:
        cause = "The loop does not do the steps: their work stands beside it, as often as the example had elements."
        return Finding(expected, "a loop, and a step's work outside of it", cause, f"{PAGE}#loops")
    return None


def _operators(model: ModelProto, holders: tuple[str, ...]) -> tuple[Counter[str], Counter[str]]:
    """How many nodes of each operator stand inside the graphs of `holders`, and how many do not."""
    inside, outside = Counter(), Counter()
    for name, held in _walk(model.graph, holders, False):
        (inside if held else outside)[name] += 1
    return inside, outside


def _walk(graph: GraphProto, holders: tuple[str, ...], held: bool) -> Iterator[tuple[str, bool]]:
    for node in graph.node:
        yield node.op_type, held
        for child in graphs.subgraphs(node):
            yield from _walk(child, holders, held or node.op_type in holders)


def computes_the_same(view: View) -> Finding | None:
    """The outputs are the reference's on fresh inputs, without optimization and with all
    optimizations.
    """
    data, feeds = view.answer.files[MODEL], inputs(view.case)
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        differences = [
            _run(data, values, expected, level, view.case)
            for values, expected in zip(feeds, numerics.unpack(view.reference), strict=True)
        ]
        if any(differences):
            return _explain(view.case, feeds, differences)
    return None


def _run(data: bytes, values: dict, expected: list, level: str, case: Case) -> str:
    """How the output differs, or the empty string. Inputs are fed in their order: what their names
    are, the contract has said.
    """
    graph = loading.parse(data).graph
    stored = {tensor.name for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in stored]
    named = dict(zip(names, values.values(), strict=True)) if len(names) == len(values) else values
    try:
        [[found]] = numerics.run(data, [named], level)
    except Exception as error:
        return loading.first_line(error, 160)
    # Each step rounds a few times, and sums over at most 16 numbers; errors of a step are not made
    # larger by the next.
    steps = len(values["sequence"]) if "sequence" in values else 1
    allowed = float(np.finfo(np.float32).eps) * 4 * 16 * (steps + 1)
    difference = numerics.compare(expected, found, ["the output"], allowed)
    if not difference:
        return ""
    return f"{difference.kind}: {difference.found}"


def _explain(case: Case, feeds: list[dict], differences: list[str]) -> Finding:
    first = next(text for text in differences if text)
    if _is_branch(case):
        when = {
            answer: [
                not text
                for text, side in zip(differences, (True, False) * 2, strict=True)
                if side is answer
            ]
            for answer in (True, False)
        }
        wanted, read = (
            "the output of then_fn where the predicate says True, that of else_fn where it says False",
            f"{PAGE}#branches",
        )
        right = next((answer for answer, holds in when.items() if all(holds)), None)
        if right is None:
            cause = misconceptions.other_side
            return Finding(wanted, f"wrong on both sides{_quote(case, first)}", cause, read)
        cause = misconceptions.one_side_twice
        return Finding(
            wanted,
            f"right where the predicate says {right}, wrong where it says {not right}{_quote(case, first)}",
            cause,
            read,
        )
    lengths = [len(values["sequence"]) for values in feeds]
    wrong = [length for length, text in zip(lengths, differences, strict=True) if text]
    wanted, read = (
        "the state after all steps, whatever the length of the sequence and the initial state",
        f"{PAGE}#loops",
    )
    if lengths[0] not in wrong:
        cause = misconceptions.fixed_steps
        found = (
            f"right at the example's length {lengths[0]}, wrong at {', '.join(map(str, wrong))}"
            if case.public
            else "wrong at other lengths"
        )
        return Finding(wanted, f"{found}{_quote(case, first)}", cause, f"{PAGE}#dynamic-dimensions")
    if 1 not in wrong:
        cause = misconceptions.backwards
        return Finding(
            wanted, f"right for one step, wrong for more{_quote(case, first)}", cause, read
        )
    cause = "The step reads something else than the state and the element: the initial state of the example, or the arguments exchanged."
    return Finding(wanted, f"wrong at every length{_quote(case, first)}", cause, read)


def _quote(case: Case, text: str) -> str:
    return f" ({text})" if case.public else ""

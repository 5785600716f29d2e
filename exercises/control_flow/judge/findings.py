"""Findings of `control_flow`: what a broken rung looks like, and what most often stands behind it."""

from __future__ import annotations

from collections import Counter

from onnx import ModelProto

from formatlab import graphs
from formatlab_exercises.control_flow.judge import cases
from formatlab_exercises.control_flow.judge.misconceptions import OPEN_AXES, Mistakes
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause

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


def is_branch(case: Case) -> bool:
    return case.parameters["function"] == "export_branch"


def section(case: Case) -> str:
    return f"{PAGE}#branches" if is_branch(case) else f"{PAGE}#loops"


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


def of_a_branch(
    case: Case, model: ModelProto, inside: Counter[str], outside: Counter[str]
) -> Finding | None:
    """What is wrong with how a model chooses; `inside` counts the operators within an If."""
    expected, anywhere = CHOICE, inside + outside
    if not anywhere["If"] and len(marks(case) & anywhere.keys()) == 2:
        found = "no If: both branches are always computed"
        return Finding(expected, found, Mistakes.where)
    if not anywhere["If"]:
        return Finding(expected, "no If: one branch is missing", Mistakes.baked_branch)
    if marks(case) & outside.keys():
        return Finding(expected, "an If, and a branch's work outside of it", Mistakes.idle_if)
    if any(
        marks(case) <= {node.op_type for node in graph.node}
        for graph, _ in graphs.walk(model.graph)
    ):
        found = "an If, and both functions in one place"
        return Finding(expected, found, Mistakes.where_in_if)
    return None


BOTH_AT_ONCE = Finding(CHOICE, "the work of both functions for one input", Mistakes.where)


def runs_for_long(error: Exception) -> Finding:
    cause = "The model does far more than the predicate and one of the two functions."
    return Finding(CHOICE, str(error), cause, f"{PAGE}#branches")


def beside(case: Case) -> Finding:
    """The work stands where it should, and something else makes the output."""
    expected = "an output that follows from the work in the If, or in the loop"
    found = f"the work of {' and '.join(sorted(marks(case)))} is disturbed, and the output does not follow"
    found = found if case.public else "work on which no output depends"
    return Finding(expected, found, Mistakes.idle_work)


def marks(case: Case) -> set[str]:
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


def _quoted(case: Case, differences: list[str]) -> str:
    """The first of them, in brackets; of a hidden case nothing."""
    return f" ({next(filter(None, differences))})" if case.public else ""

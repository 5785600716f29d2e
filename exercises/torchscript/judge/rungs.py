"""The rungs of `torchscript`. Each looks at what one compiled module did in the observing
box; the reference says what it should have done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from formatlab import numerics
from formatlab_exercises.shared.judge import ruler
from formatlab_exercises.torchscript.ask import SIGNATURE
from formatlab_exercises.torchscript.files import (
    EXPECTED,
    GRAPH,
    IDLE,
    INPUTS,
    OUTPUTS,
    REPORT,
    RUNS,
    STATE,
)
from formatlab_exercises.torchscript.judge.cases import control
from formatlab_exercises.torchscript.judge.misconceptions import Mistakes
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, Misconception, also
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

PAGE = "lab-7-01/05-torchscript"
# What is special about each kind of module, for the findings of its case.
DESCRIPTIONS = {
    "plain": "BatchNorm and Dropout behave differently in training, and the module is passed in training mode.",
    "choice": "forward asks for a value of the input and takes one of two layers.",
    "halving": "forward repeats until the values are small enough.",
    "recurrence": "forward takes one step for each row of the input.",
    "small-batch": "forward takes one of two layers, by the number of rows.",
    "by-name": "forward looks an attribute up by its name, which the compiler refuses.",
    "keywords": "forward passes arguments from a dictionary, which the compiler refuses.",
    "anonymous": "forward has a lambda, which the compiler refuses.",
    "scaled": "forward calls NumPy, which the compiler refuses.",
    "two-faced": "forward does something else once it is compiled.",
    "unused": "forward calls a method that is marked as unused in TorchScript.",
    "router": "forward chooses, and calls a part that the compiler refuses.",
    "report": "a part chooses, and the module around it is one that the compiler refuses.",
    "chain": "one part chooses, and another is refused by the compiler.",
    "pooling": "two inputs, two outputs, and for each row as many tokens as its length says.",
}
# The type that came back, and why.
WRONG_TYPES: dict[str, Cause] = {
    "the module itself": Mistakes.returns_eager,
    "an eager module": Mistakes.returns_copy,
    "OptimizedModule": Mistakes.returns_compiled,
    "GraphModule": "torch.fx writes Python code. It can be scripted or traced, and is not yet.",
    "ExportedProgram": Mistakes.returns_exported,
    "ScriptFunction": Mistakes.traces_function_of_constants,
}
# What the compiler says, and what it means. The text of a hidden case's exception is not looked at.
REFUSALS: dict[str, Cause] = {
    "string literal": "The compiler has to know before the run which attribute you mean.",
    "keyword-arg expansion": "The compiler has to know the arguments' names before it runs.",
    "Lambda": "The compiler knows def, but no lambda.",
    "requires grad as a constant": "A function was traced that uses the module's weights without owning them.",
    "weak reference": "The compiler knows PyTorch's functions, and none of NumPy's.",
}
HOOK_SIGN = "hook '"
HOOK_LEFT = "A hook is still on the module that is compiled, and torch.jit.script compiles hooks too. Remove each one first: handle.remove()."
REFUSED = "torch.jit.trace does not read Python, it watches what is computed: trace the module or the part that has this line."
# What has to be as it was before the call, in the order in which it is looked at: (what it is, what
# was found, why).
KEPT = {
    "parts": (
        "the module's own parts",
        "parts of the module that was passed in are replaced",
        Mistakes.in_the_argument,
    ),
    "weights": (
        "the module's weights and running statistics",
        "values of the module that was passed in are changed",
        Mistakes.runs_before_copying,
    ),
    "mode": (
        "the module's mode",
        "the module that was passed in is in the other mode",
        Mistakes.leaves_evaluation_mode,
    ),
    "modes": (
        "the modes of all parts",
        "a part of the module that was passed in is in the other mode",
        Mistakes.restores_one_mode,
    ),
    "gradients": (
        "requires_grad of the module's parameters",
        "parameters of the module that was passed in have another requires_grad",
        Mistakes.no_gradients,
    ),
    "hooks": (
        "the module's hooks",
        "hooks are left on the module that was passed in",
        Mistakes.leaves_hooks,
    ),
}

PLACES = (*map(str, range(RUNS)), "weights")
BEHAVES = "what the module gives in evaluation mode, on every input"
# Causes that no stored answer shows.
ROWS = "A number of rows became a constant of the trace: Python asked for it with len, range or if."
UNUSED_METHOD = "torch.jit.script compiles a call of an unused method to an exception. Run what you compiled before you return it."
CONVERTED = "The module ran in training mode while it was compiled, or its weights were converted."
FOLLOWS_EXAMPLE = "It follows the example, where the module decides anew."
exists = outcome.exists(SIGNATURE, f"{PAGE}#trace")


def _report(answer: Answer) -> dict | None:
    """The report that `observe` wrote; None when it is anything else."""
    found = outcome.report(answer, REPORT, kept=dict, saved=str, runs=list, random=bool)
    try:
        for name in (OUTPUTS, STATE):
            load(answer.files[name])
    except (SafetensorError, KeyError, ValueError, TypeError):
        return None
    good = (
        found is not None
        and found["kept"].keys() == KEPT.keys()
        and len(found["runs"]) in (0, len(PLACES))
        and all(isinstance(text, str) for text in found["runs"])
        and GRAPH in answer.files
    )
    return found if good else None


def _description(case: Case) -> str:
    return DESCRIPTIONS[case.parameters["kind"]]


def is_script_module(view: View) -> Finding | None:
    """The function returns, and what it returns is a ScriptModule."""
    finding = outcome.returns(EXPECTED, f"{PAGE}#trace", _report)(view)
    if finding is None:
        return None
    if view.answer.outcome == "wrong_type":
        found = view.answer.error.get("found", "")
        return (
            replace(finding, found=found, cause=WRONG_TYPES[found])
            if found in WRONG_TYPES
            else finding
        )
    if view.answer.outcome == "raised":
        text = view.answer.error.get("text", "") if view.case.public else ""
        if HOOK_SIGN in text.lower():
            return replace(finding, cause=HOOK_LEFT, read=f"{PAGE}#mixing")
        refusal = next((words for sign, words in REFUSALS.items() if sign in text), "")
        if not refusal:
            return replace(finding, read=f"{PAGE}#mixing")
        return replace(
            finding,
            cause=also(refusal, f"{REFUSED} The case: {_description(view.case)}"),
            read=f"{PAGE}#script",
        )
    return finding


def survives_saving(view: View) -> Finding | None:
    """torch.jit.save writes it, so nothing in it calls back into Python."""
    reason = known(_report(view.answer))["saved"]
    if not reason:
        return None
    found = (
        f"torch.jit.save refuses it: {reason}" if view.case.public else "torch.jit.save refuses it"
    )
    return Finding(
        "a module that can be saved, loaded and run without your code",
        found,
        Mistakes.ignored,
    )


def leaves_the_argument(view: View) -> Finding | None:
    """The module that was passed in is as it was."""
    kept = known(_report(view.answer))["kept"]
    for name, (expected, found, cause) in KEPT.items():
        if kept[name] is not True:
            return Finding(f"{expected}, as before the call", found, cause, f"{PAGE}#training-mode")
    return None


def leaves_the_parts(view: View) -> Finding | None:
    """The module that was passed in has its own parts, and no compiled ones."""
    if known(_report(view.answer))["kept"]["parts"] is True:
        return None
    expected, found, _ = KEPT["parts"]
    return Finding(f"{expected}, as before the call", found, Mistakes.parts_replaced)


def keeps_the_weights(view: View) -> Finding | None:
    """The result has the module's weights, as weights, under their names."""
    state, wanted = load(view.answer.files[STATE]), _part(view.reference, "state")
    if state.keys() != wanted.keys():
        return _other_names(view.case, state, wanted)
    if any(
        state[name].dtype != wanted[name].dtype or not np.array_equal(state[name], wanted[name])
        for name in wanted
    ):
        return Finding(
            "the module's weights and running statistics in state_dict()",
            "other values or types",
            CONVERTED,
            f"{PAGE}#training-mode",
        )
    wrong = _differences(view)
    if "weights" in wrong and "0" not in wrong:
        cause = Mistakes.weights_as_constants
        expected = "other weights, once they are loaded into the result, change what it computes"
        return Finding(expected, "its outputs do not follow its weights", cause, f"{PAGE}#freeze")
    return None


def _other_names(
    case: Case, state: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]
) -> Finding:
    expected = "the module's own names in state_dict()" + (
        f": {', '.join(sorted(wanted))}"[:150] if case.public else ""
    )
    if not state:
        return Finding(expected, "no names at all", Mistakes.freezes)
    if {name.partition(".")[2] for name in state} == wanted.keys():
        return Finding(expected, "the names with another one before them", Mistakes.wrapped)
    return Finding(
        expected,
        "other names",
        "Parts were left out, or renamed when they were replaced.",
        f"{PAGE}#what-survives",
    )


def chooses_and_repeats(view: View) -> Finding | None:
    """The graph still holds the choice or the repetition that the behaviour depends on."""
    what: Cause
    wanted = control(view.case)
    graph = view.answer.files[GRAPH].decode(errors="replace").split()
    if not wanted or f"prim::{wanted}" in graph:
        return None
    if f"{IDLE}prim::{wanted}" in graph:
        found, what = f"a prim::{wanted} on which no output depends", Mistakes.idle_control
    elif wanted == "If":
        found, what = "no prim::If: one side of the choice is missing", Mistakes.always_trace
    else:
        found = "no prim::Loop: the steps stand there one after the other"
        what = Mistakes.steps_of_the_example
    read = f"{PAGE}#{'mixing' if view.case.parameters['kind'] in ('router', 'report', 'chain') else 'trace'}"
    return Finding(
        f"a graph with a prim::{wanted}",
        found,
        also(what, f"The case: {_description(view.case)}"),
        read,
    )


def behaves_the_same(view: View) -> Finding | None:
    """The outputs are the reference's on fresh inputs: both sides of a choice, other numbers of
    rows.
    """
    wrong = _differences(view)
    wrong.pop("weights", None)  # `keeps_the_weights` says so
    about = f"The case: {_description(view.case)}"
    if known(_report(view.answer))["random"]:
        cause = also(Mistakes.in_its_mode, about)
        return Finding(BEHAVES, "two runs on one input differ", cause, f"{PAGE}#training-mode")
    if not wrong:
        return None
    found, cause, anchor = _recognise(view, wrong)
    if known(_report(view.answer))["kept"]["weights"] is not True:
        cause, anchor = Mistakes.runs_before_copying, "training-mode"
    quote = f" ({_first_text(view, wrong)})" if view.case.public else ""
    return Finding(BEHAVES, f"{found}{quote}", also(cause, about), f"{PAGE}#{anchor}")


def _recognise(view: View, wrong: Mapping[str, str]) -> tuple[str, str | Misconception, str]:
    """What is found, the cause, and the section, by which of the runs differ and how."""
    same, other = _by_rows(view.case)
    raised = [place in _errors(view) for place in wrong]
    if not wrong.keys() & same and wrong.keys() <= other:
        how = "raises" if any(raised) else "is wrong"
        return f"right for as many rows as the example has, {how} for others", ROWS, "trace"
    if all(raised):
        return "it raises when it is called", UNUSED_METHOD, "what-survives"
    if all(difference.startswith("count") for difference in wrong.values()):
        return "another number of outputs", Mistakes.compiles_is_enough, "what-survives"
    if len(wrong) < RUNS:
        return "right on some inputs, wrong on others", FOLLOWS_EXAMPLE, "trace"
    return "wrong on every input", Mistakes.another_function, "training-mode"


def _errors(view: View) -> dict[str, str]:
    """The runs that raised, each with what it said."""
    runs = known(_report(view.answer))["runs"]
    return {place: text for place, text in zip(PLACES, runs, strict=bool(runs)) if text}


def _first_text(view: View, wrong: Mapping[str, str]) -> str:
    place, difference = next(iter(wrong.items()))
    return _errors(view).get(place, difference)


def _part(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    return {
        key.partition("/")[2]: value
        for key, value in arrays.items()
        if key.partition("/")[0] == part
    }


def _by_rows(case: Case) -> tuple[set[str], set[str]]:
    """The runs whose inputs have as many rows as the example, and the others."""
    inputs = load(case.files[INPUTS])
    rows = len(inputs["example/0"])
    same = {
        place
        for place in PLACES
        if len(inputs[f"{'0' if place == 'weights' else place}/0"]) == rows
    }
    return same, set(PLACES) - same


def _differences(view: View) -> dict[str, str]:
    """How each run differs from what is right, for the runs that do. What float32 costs is known from
    all runs together.
    """
    found = load(view.answer.files[OUTPUTS])
    wanted, exact = (_part(view.reference, part) for part in ("out", "exact"))
    names = sorted(_part(wanted, PLACES[0]))
    right = [[wanted[f"{place}/{name}"] for name in names] for place in PLACES]
    truth = [[exact[f"{place}/{name}"] for name in names] for place in PLACES]
    reference = numerics.pack(right)
    reference |= {f"{ruler.EXACT}{key}": each for key, each in numerics.pack(truth).items()}
    wrong = {}
    for run, place in enumerate(PLACES):
        actual = _part(found, place)
        if actual.keys() != set(names):
            wrong[place] = f"count: {len(actual)} outputs"
            continue
        runs = [*right[:run], [actual[name] for name in names], *right[run + 1 :]]
        difference = ruler.difference(reference, runs, names)
        if difference:
            wrong[place] = f"{difference.kind}: {difference.found}"
    return wrong

"""The rungs of `mend_export`, each on one case: on the file that the call made, or on the report of
what it raised, which is right where the module has no right file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from onnx import ModelProto, ValueInfoProto, helper

from formatlab import loading, numerics
from formatlab_exercises.mend_export.ask import MODEL, REPORT
from formatlab_exercises.mend_export.judge import cases, exact
from formatlab_exercises.mend_export.judge.misconceptions import (
    DECLARATIONS,
    IDEAS,
    NAMES,
    REFUSALS,
    Mistakes,
)
from formatlab_exercises.shared.judge import torch_errors
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Misconception
from nbjudge.rungs import outcome

Axes = Sequence[int | str]
Signature = Mapping[str, Axes]
# What torch says of a capture that it refuses, the most telling words first.
TORCH_CAUSES: Mapping[str, tuple[str | Misconception, str]] = {
    "constant (1)": (Mistakes.one_row, Mistakes.one_row.read),
    "must be long, int": (Mistakes.other_numbers, Mistakes.other_numbers.read),
    "must be the arg names": (Mistakes.other_structure, Mistakes.other_structure.read),
    # The end of the same text, whose middle is left out where it is long.
    "matching `inputs`": (Mistakes.other_structure, Mistakes.other_structure.read),
    "mismatch between the structure": (Mistakes.other_structure, Mistakes.other_structure.read),
    "//": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "% ": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "*_": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "are no pair": (Mistakes.lists_for_tuples, Mistakes.lists_for_tuples.read),
    ") != ": (Mistakes.view_as_example, Mistakes.view_as_example.read),
    "in the specified range": (Mistakes.limit_forgotten, Mistakes.limit_forgotten.read),
    "must always be equal": (
        "One word of wanted is one size, so it needs the same Dim wherever it stands.",
        Mistakes.tied_sizes.read,
    ),
}
ASKED = "the signature that wanted gives"
PROMISE = "an exception: no file is right for all sizes, or for all values, that were asked for"
WHY: Mapping[str, Misconception] = {
    "centred": Mistakes.fixed_silently,
    "masked": Mistakes.fixed_silently,
    "sum": Mistakes.tied_in_code,
    "positions": Mistakes.limit_lost,
    "short": Mistakes.limit_lost,
    "long": Mistakes.limit_lost,
    "choice": Mistakes.branch_frozen,
    "turned": Mistakes.branch_frozen,
}

EXPECTED = "an onnx.ModelProto"
CAPS = loading.Caps(bytes=1 << 20, nodes=500, elements=20_000)
# An output may be off by so many times what the rounding of its inputs and weights moves it, or by so
# many steps of float32 at the largest number, whichever is more: ONNX Runtime rounds each sum, too,
# and in another order on another processor.
TIMES = 16
STEPS = 64


@dataclass(frozen=True)
class FileView(View):
    """What the rungs read of a case's answer."""

    @cached_property
    def is_refused(self) -> bool:
        return MODEL not in self.answer.files

    @cached_property
    def model(self) -> ModelProto:
        return loading.parse(self.answer.files[MODEL])

    @cached_property
    def inputs(self) -> list[ValueInfoProto]:
        stored = {tensor.name for tensor in self.model.graph.initializer}
        return [value for value in self.model.graph.input if value.name not in stored]


def as_came(case: Case, answer: Answer) -> Answer:
    """Return what the call came to. An exception is the answer where the module has no right file,
    and everywhere else it is what ended the call.
    """
    if MODEL in answer.files or answer.outcome != "returned":
        return answer
    found = outcome.report(answer, REPORT, outcome=str, error=dict)
    if found is None or found["outcome"] not in ("raised", "missing"):
        return answer
    if case.parameters["refused"]:
        return Answer("returned", {REPORT: answer.files[REPORT]})
    error = {str(key): value for key, value in found["error"].items() if isinstance(value, str)}
    return Answer(found["outcome"], {}, error)


def readable(answer: Answer) -> object | None:
    """The file, or the report of an exception; None for anything else (the runner box is not
    trusted).
    """
    if MODEL in answer.files:
        return answer.files[MODEL]
    found = outcome.report(answer, REPORT, outcome=str, error=dict)
    return found if found and found["outcome"] in ("raised", "missing") else None


def returns_a_model(view: FileView) -> Finding | None:
    """The function returns a ModelProto, or raises where no file is right."""
    finding = outcome.returns(EXPECTED, IDEAS, readable)(view)
    return finding and torch_errors.explained(finding, view.answer, TORCH_CAUSES)


def loads(view: FileView) -> Finding | None:
    """Within the caps, and accepted by the checker and by ONNX Runtime."""
    if view.is_refused:
        return None
    data = view.answer.files[MODEL]
    try:
        domains = {function.domain for function in loading.parse(data).functions}
        loading.refuse(data, CAPS, frozenset({"", *domains}))
        loading.validate(data)
    except loading.Unloadable as problem:
        found = refusal(view.case, problem)
        return Finding(problem.expected, found, problem.cause, IDEAS)
    return None


def axes(value: ValueInfoProto) -> list[int | str]:
    """A number where the axis is fixed, a word where it is open; a word of digits is a number."""
    names = [dim.dim_param or str(dim.dim_value) for dim in value.type.tensor_type.shape.dim]
    return [int(name) if name.isdecimal() else name for name in names]


def has_the_signature(view: FileView) -> Finding | None:
    """Inputs are open where `wanted` says so and two sizes are one where it says so, and the output
    is open where its sizes move. What inputs and sizes are called, `names_as_wanted` says.
    """
    if view.case.parameters["refused"]:
        return None  # the next rung says so
    wanted = view.case.parameters["wanted"]
    if len(view.inputs) != len(wanted):
        return other_names(view.case, list(wanted), [each.name for each in view.inputs])
    found = _by_name(view)
    called: dict[str, int | str] = {}
    for name, shape in wanted.items():
        has = axes(found[name])
        if [type(axis) for axis in has] != [type(axis) for axis in shape] or any(
            isinstance(want, int) and want != have for want, have in zip(shape, has, strict=True)
        ):
            return other_axes(view.case, name, shape, has)
        words = [pair for pair in zip(shape, has, strict=True) if isinstance(pair[0], str)]
        if any(called.setdefault(want, have) != have for want, have in words):
            return torn_size(view.case, name, shape, has)
        if len(set(called.values())) < len(called):
            return tied_sizes(view.case, name, shape, has)
        kind = np.int64 if name in view.case.parameters["below"] else np.float32
        if found[name].type.tensor_type.elem_type != helper.np_dtype_to_tensor_dtype(
            np.dtype(kind)
        ):
            return other_type(name)
    return _output(view)


def other_names(case: Case, wanted: Sequence[str], found: Sequence[str]) -> Finding:
    shown = f": {', '.join(found)}"[:160] if case.public else ""
    return Finding(
        f"the inputs {', '.join(wanted)}", f"inputs of other names{shown}", Mistakes.renamed
    )


def other_axes(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    pairs = list(zip(wanted, found, strict=False))
    if len(wanted) != len(found):
        return Finding(expected, what, "The example got another number of axes.", NAMES)
    if any(isinstance(want, str) and isinstance(have, int) for want, have in pairs):
        return Finding(expected, f"{what}, a number for a word", Mistakes.static)
    if any(isinstance(want, int) and isinstance(have, str) for want, have in pairs):
        cause = (
            "An axis that is a number in wanted was declared open. Leave it out of dynamic_shapes."
        )
        return Finding(expected, f"{what}, a word for a number", cause, IDEAS)
    return Finding(expected, what, "A number of wanted is another number in the file.", IDEAS)


def _axes_of(case: Case, name: str, wanted: Axes, found: Axes) -> tuple[str, str]:
    """What is asked of an input, and what it has."""
    what = f"{name}: {list(found)}" if case.public else f"{name}: other axes"
    return f"{ASKED}, {name}: {list(wanted)}", what


def tied_sizes(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, the word of another size", Mistakes.tied_sizes)


def torn_size(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    cause = "One word of wanted is one size, so it is one name wherever it stands."
    return Finding(expected, f"{what}, several names for one size", cause, NAMES)


def other_type(name: str) -> Finding:
    cause = "The example was converted before the export. Repeat it, and keep its type."
    return Finding(f"{name}: the type of the example", f"{name}: another type", cause, IDEAS)


def _by_name(view: FileView) -> dict[str, ValueInfoProto]:
    """The file's inputs under the names of `wanted`: by their place where their names are others."""
    wanted, found = view.case.parameters["wanted"], {each.name: each for each in view.inputs}
    if found.keys() == wanted.keys():
        return found
    return dict(zip(wanted, view.inputs, strict=True))


def names_as_wanted(view: FileView) -> Finding | None:
    """Inputs and open sizes are called what `wanted` calls them."""
    wanted, names = view.case.parameters["wanted"], [each.name for each in view.inputs]
    if sorted(names) != sorted(wanted):
        return other_names(view.case, list(wanted), names)
    found = _by_name(view)
    for name, shape in wanted.items():
        if axes(found[name]) != shape:
            return other_words(view.case, name, shape, axes(found[name]))
    return None


def other_words(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, words that wanted does not have", Mistakes.names_dropped)


def names_every_size(view: FileView) -> Finding | None:
    """Where some open sizes are called as wanted calls them, all of them are."""
    if view.case.parameters["refused"] or has_the_signature(view) is not None:
        return None
    found, wanted = _by_name(view), view.case.parameters["wanted"]
    called = {
        want: (name, have == want)
        for name, shape in wanted.items()
        for want, have in zip(shape, axes(found[name]), strict=True)
        if isinstance(want, str)
    }
    others = [name for name, is_its_own in called.values() if not is_its_own]
    if not others or len(others) == len(called):
        return None  # where none has its word, `names_as_wanted` says so
    name = others[0]
    return named_in_part(view.case, name, wanted[name], axes(found[name]))


def named_in_part(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, where other sizes have their words", Mistakes.named_in_part)


def _output(view: FileView) -> Finding | None:
    values = list(view.model.graph.output)
    if len(values) != 1:
        return outputs(len(values))
    shapes = [each.shape for each in _truths(view)]
    declared = axes(values[0])
    if len(declared) != len(shapes[0]):
        return None  # its numbers are another shape
    for place, axis in enumerate(declared):
        if isinstance(axis, int) and len({shape[place] for shape in shapes}) > 1:
            return output_fixed(place)
    return None


def output_fixed(place: int) -> Finding:
    return Finding(
        "an output whose axes are open where its sizes move",
        f"a number at the output's axis {place}",
        "A size was fixed on the way to the output. Capture with a Dim, and read the file's signature.",
        DECLARATIONS,
    )


def outputs(count: int) -> Finding:
    cause = "The module returns one tensor, and the file has one output."
    return Finding("one output", f"{count} outputs", cause, NAMES)


def refuses_what_no_file_can_keep(view: FileView) -> Finding | None:
    """A module without a right file is refused; a file that is right all the same is as good."""
    case = view.case
    if not case.parameters["refused"] or view.is_refused:
        return None
    wanted = case.parameters["wanted"]
    found = {each.name: axes(each) for each in view.inputs}
    if found != wanted:
        shown = f"its signature is {found}" if case.public else "its signature is not wanted"
        return promised(case, shown[:200])
    if not cases.has_an_output(case):
        return promised(case, "it declares sizes that the module cannot take")
    wrong = _first_wrong(view)
    return promised(case, "it is wrong at some of them") if wrong else None


def promised(case: Case, found: str) -> Finding:
    """A file where there is no right one."""
    return Finding(PROMISE, f"a file: {found}", WHY[case.parameters["kind"]])


def computes_the_same_at_every_size(view: FileView) -> Finding | None:
    if view.case.parameters["refused"]:
        return None
    return _first_wrong(view)


def _truths(view: FileView) -> list[np.ndarray]:
    return [view.reference[f"{run}/exact"] for run in range(len(cases.inputs(view.case)))]


def _first_wrong(view: FileView) -> Finding | None:
    """The first set of sizes at which the file fails or gives something else."""
    data, case = view.answer.files[MODEL], view.case
    names = [each.name for each in view.inputs]
    for run, values in enumerate(cases.inputs(case)):
        where = _where(case, values)
        try:
            [[outputs]] = numerics.run(data, [_fed(names, values)])
        except Exception as error:
            return does_not_run(case, where, loading.first_line(error, 160))
        expected, allowed = view.reference[f"{run}/exact"], view.reference[f"{run}/allowed"]
        found = _difference(expected, float(allowed), outputs)
        if found:
            swapped = _is_swapped(case, values, outputs, float(allowed))
            return differs(case, where, found, swapped)
    return None


def does_not_run(case: Case, where: str, said: str) -> Finding:
    found = f"at {where} it fails: {said}" if case.public else "at some of them it fails"
    cause = (
        "The file declares the sizes open and holds a number inside. Capture with a Dim for each."
    )
    return Finding("a file that runs at every size within the limits", found, cause, REFUSALS)


def differs(case: Case, where: str, found: str, swapped: bool) -> Finding:
    expected = "the module's output at every size within the limits, up to its own rounding"
    what = f"at {where}, {found}" if case.public else "another output at some of them"
    if swapped:
        return Finding(expected, what, Mistakes.swapped_names)
    cause = "A number of the example is stored in the file, or another function was exported."
    return Finding(expected, what, cause, REFUSALS)


def _fed(names: list[str], values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The values under the file's names: by their place where those are others, which the signature
    has said.
    """
    if sorted(names) == sorted(values):
        return values
    return dict(zip(names, values.values(), strict=False))


def _where(case: Case, values: dict[str, np.ndarray]) -> str:
    sizes: dict[str, int] = {}
    for name, shape in case.parameters["wanted"].items():
        pairs = zip(shape, values[name].shape, strict=True)
        sizes |= {axis: size for axis, size in pairs if isinstance(axis, str)}
    return sizes_named(sizes)


def sizes_named(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def _difference(expected: np.ndarray, allowed: float, outputs: list) -> str:
    """In what the outputs are others than the one that is expected, or the empty string."""
    if len(outputs) != 1 or not isinstance(outputs[0], np.ndarray):
        return f"{len(outputs)} outputs"
    [found] = outputs
    if found.shape != expected.shape:
        return f"an output of shape {found.shape} where {expected.shape} is right"
    if found.dtype != np.float32:
        return f"an output of {found.dtype}"
    error = float(np.abs(found - expected).max(initial=0))
    if error <= allowed:
        return ""
    return f"it is off by {error:.2g}, and {allowed:.1g} is rounding"


def _is_swapped(case: Case, values: dict, outputs: list, allowed: float) -> bool:
    """Whether it is the output for the same tensors under each other's names."""
    names = [name for name in ("shift", "scale") if name in values]
    if len(names) != 2:
        return False
    swapped = {**values, "shift": values["scale"], "scale": values["shift"]}
    return not _difference(exact.output(case.parameters, swapped), 8 * allowed, outputs)


def truths(case: Case) -> dict[str, np.ndarray]:
    """For each run the output in float64, and how far an output may be from it."""
    found: dict[str, np.ndarray] = {}
    if not cases.has_an_output(case):
        return found
    for run, values in enumerate(cases.inputs(case)):
        right = exact.output(case.parameters, values)
        own = exact.sensitivity(case.parameters, values)
        step = float(np.finfo(np.float32).eps * np.abs(right).max(initial=0))
        found[f"{run}/exact"] = right
        found[f"{run}/allowed"] = np.array(max(TIMES * own, STEPS * step))
    return found

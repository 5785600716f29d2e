"""The rungs of `export`. Each looks at the file that one call wrote, and at the report of what else
the call did.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from formatlab import graphs, loading, numerics
from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.export.ask import OLDER, OUTERMOST, REPORT, model_of
from formatlab_exercises.export.judge import cases
from formatlab_exercises.export.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import ruler, torch_errors
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Answer, Case, Finding, Reference, View
from nbjudge.findings import Cause
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

PAGE = "day-50/line-1-export"
VALIDATE = "day-50/line-2-prove#the-recipe"
OPSET = 18
# How files begin that are no ONNX: what torch.save writes is a zip archive, an older pickle begins
# with its protocol.
FORMATS = {
    b"PK\x03\x04": "a zip archive, as torch.save writes it",
    b"\x80\x02": "a pickle",
    b"\x80\x04": "a pickle",
}
TORCH_CAUSES: dict[str, tuple[Cause, str]] = {
    "dynamic_axes": (
        "The TorchScript-based exporter takes dynamic_axes, the default one dynamic_shapes.",
        f"{PAGE}#open-axes",
    ),
    "must be the arg names": (
        "The keys of dynamic_shapes are the names of forward's arguments.",
        f"{PAGE}#open-axes",
    ),
    "more than 1 value per channel": (
        "A BatchNorm in training mode takes its statistics from the batch, so it refuses one row. Set "
        "the module to evaluation mode.",
        f"{PAGE}#evaluation-mode",
    ),
}
LEFT_BEHIND = Finding(
    "an exception and no file, where the module has no valid file of opset 18",
    "an exception, and a file at path",
    Mistakes.leaves_the_file,
)
OLDER_LEFT = Finding(
    "an exception and no file, where the module has no valid file of opset 18",
    "an exception, and at path the file that lay there before the call",
    Mistakes.older_file_stays,
)
SILENT = Finding(
    "an exception, where the module has no valid file of opset 18",
    "no file and no exception",
    Mistakes.swallows,
)
NEVER_RUNS = Finding(
    "outputs on fresh inputs",
    "none",
    "No run gave an output that can be compared.",
    VALIDATE,
)

CAPS = loading.Caps(bytes=1 << 20, nodes=1000, elements=20_000)
OUTPUT = "output"
# An answer's files as the rungs read them: of the case's own module, and of the other one.
MODEL, OTHER = "model.onnx", "other.onnx"


def beside(case: Case, names: Sequence[str]) -> Finding:
    found = f"more files: {', '.join(names)}" if case.public else "more files in the folder"
    return Finding("one file, and nothing beside it", found, Mistakes.report_beside)


@dataclass(frozen=True)
class Report:
    """What a call did besides writing its file: submodules in another mode, tensors with other
    values, parameters with or without a gradient now, names of files beside it.
    """

    modes: list[str]
    tensors: list[str]
    gradients: list[str]
    beside: list[str]
    raised: bool = False


def as_came(case: Case, answer: Answer) -> Answer:
    """Return what the calls came to: the files by the part that their modules play in the case, and
    in `report.json` what was said of both. What was raised of a module that has a valid file ended
    the call.
    """
    found = outcome.report(answer, REPORT, modules=list)
    if answer.outcome != "returned" or found is None:
        return answer
    main = case.parameters["main"]
    places = {MODEL: main, OTHER: 1 - main} if case.parameters["others"] else {MODEL: main}
    told = [each for each in found["modules"] if isinstance(each, dict)]
    if len(told) != len(places):
        return Answer("returned", {})
    for name, place in places.items():
        ended = told[place].get("raised")
        is_right = name == OTHER and case.parameters["newer"]
        if isinstance(ended, dict) and not is_right:
            error = ended.get("error")
            known_error = error.items() if isinstance(error, dict) else ()
            what = "missing" if ended.get("outcome") == "missing" else "raised"
            return Answer(what, {}, {str(k): v for k, v in known_error if isinstance(v, str)})
    files = {
        name: answer.files[model_of(place)]
        for name, place in places.items()
        if model_of(place) in answer.files
    }
    # A file that a call left as it was is none.
    newer = case.parameters["newer"]
    files = {
        name: data for name, data in files.items() if data != OLDER or (name == OTHER and newer)
    }
    said = {"module": told[main], "other": told[1 - main] if case.parameters["others"] else None}
    return Answer("returned", {REPORT: json.dumps(said).encode(), **files})


def newer(finding: Finding) -> Finding:
    """A file of a module that opset 18 has no operator for, which does not load."""
    return replace(
        finding,
        expected="a valid model of opset 18, or an exception and no file",
        cause=Mistakes.no_check,
        read=f"{PAGE}#the-opset",
    )


def reports(answer: Answer) -> tuple[Report, Report | None] | None:
    """On the module and on the other one, as the runner wrote them; None when it is anything else
    (the runner box is not trusted).
    """
    found = outcome.report(answer, REPORT, module=dict) or {}
    try:
        return _report(found["module"]), None if found["other"] is None else _report(found["other"])
    except (KeyError, TypeError, ValueError):
        return None


def _report(found: dict) -> Report:
    lists = {key: found[key] for key in ("modes", "tensors", "gradients", "beside")}
    if not all(
        isinstance(entries, list) and all(isinstance(entry, str) for entry in entries)
        for entries in lists.values()
    ):
        raise ValueError("not a report")
    return Report(**lists, raised=bool(found.get("raised")))


def writes_a_file(view: View) -> Finding | None:
    """The function returns and a file is at `path`; where no valid file can be made it raises, and
    there is none.
    """
    finding = outcome.returns("after it wrote a file at path", f"{PAGE}#one-file")(view)
    if finding is not None:
        explained = torch_errors.explained(finding, view.answer, TORCH_CAUSES)
        return refused_rows(finding) if explained is finding and _rows_fixed(view) else explained
    found = reports(view.answer)
    if found is None:
        cause = outcome.INTERFERED
        return Finding("a file at path", "no readable answer", cause, f"{PAGE}#one-file")
    module, other = found
    if MODEL not in view.answer.files:
        return no_file(module.beside)
    left = view.answer.files.get(OTHER)
    if other is None:
        return None
    if not view.case.parameters["newer"]:
        return no_file(other.beside) if left is None else None
    if other.raised and left is not None:
        return OLDER_LEFT if left == OLDER else LEFT_BEHIND
    if not other.raised and left in (None, OLDER):
        return SILENT
    return None


def no_file(others: Sequence[str]) -> Finding:
    found = f"no file there{', but other files beside it' if others else ''}"
    cause = Mistakes.path_ignored if others else Mistakes.returns_program
    return Finding("a file at path", found, cause, f"{PAGE}#one-file")


def refused_rows(finding: Finding) -> Finding:
    """What was raised for a module whose rows the exporter fixes where the example has one."""
    return replace(
        finding,
        cause="The example of this case has one row, and an exporter may take a size of 1 for a "
        "constant. If your own check refused the file, the check is right: export with two rows.",
        read=f"{PAGE}#open-axes",
    )


def _rows_fixed(view: View) -> bool:
    """Whether the exporter has taken the example's one row for a constant, and what was raised may
    come from a check of the file that found it.
    """
    recipe, raised = view.case.parameters, view.answer.error.get("type")
    own = raised in {"AssertionError", "Exception", "RuntimeError", "ValueError"}
    return own and recipe["kind"] == "encoder" and recipe["rows"] == 1


def loads(view: View) -> Finding | None:
    """Within the caps, self-contained, and accepted by the checker and by ONNX Runtime at both
    levels.
    """
    finding = _refusal(view.case, view.answer.files[MODEL])
    if finding is None and OTHER in view.answer.files:
        finding = _refusal(view.case, view.answer.files[OTHER])
        is_newer = view.case.parameters["newer"]
        return newer(finding) if finding and is_newer else finding
    return finding


def _refusal(case: Case, data: bytes) -> Finding | None:
    try:
        loading.refuse(data, CAPS, frozenset({""}) | _local_domains(data))
        loading.validate(data)
        loading.session(data, "ORT_ENABLE_ALL")
    except loading.Unloadable as problem:
        return unloadable(case, problem, data)
    except Exception as error:
        found = loading.first_line(error) if case.public else "it refuses the model"
        cause = "The model loads as it is written and not once it is optimized: a name or a type is written twice."
        return Finding("a model that ONNX Runtime loads at ORT_ENABLE_ALL", found, cause, VALIDATE)
    return None


def unloadable(case: Case, problem: Unloadable, data: bytes) -> Finding:
    found = refusal(case, problem)
    if "another file" in problem.found:
        return Finding("one file with the weights inside", found, Mistakes.external_data)
    kind = next((words for start, words in FORMATS.items() if data.startswith(start)), None)
    if kind:
        return Finding("an ONNX model", kind, Mistakes.saves_module)
    return Finding(problem.expected, found, problem.cause, VALIDATE)


def _local_domains(data: bytes) -> frozenset[str]:
    return frozenset(graphs.domain(function.domain) for function in loading.parse(data).functions)


def has_open_rows(view: View) -> Finding | None:
    """As many inputs as forward has arguments, one output, their types and numbers of axes, and a
    first axis without a number. What they are called, the properties say.
    """
    model = loading.parse(view.answer.files[MODEL])
    wanted, given = list(view.case.parameters["inputs"]), [value.name for value in _inputs(model)]
    if len(given) != len(wanted):
        return other_inputs(view.case, wanted, given)
    if len(model.graph.output) != 1:
        return other_outputs(view.case, [value.name for value in model.graph.output])
    return _types(view.case, model, view.reference) or _axes(model)


def other_inputs(case: Case, wanted: Sequence[str], actual: Sequence[str]) -> Finding:
    expected = f"the inputs {', '.join(wanted)}"
    shown = f": {', '.join(actual)}"[:120] if case.public else ""
    if sorted(actual) == sorted(wanted):
        return Finding(expected, "the same names in another order", Mistakes.sorted_names)
    if len(actual) < len(wanted):
        return Finding(
            expected, f"{len(actual)} of {len(wanted)} inputs{shown}", Mistakes.stored_result
        )
    return Finding(expected, f"inputs of other names{shown}", Mistakes.exporter_names)


def other_outputs(case: Case, actual: Sequence[str]) -> Finding:
    shown = f": {', '.join(actual)}"[:120] if case.public else ""
    return Finding(
        "one output, called output",
        f"{len(actual)} output{'s' * (len(actual) != 1)} of other names{shown}",
        Mistakes.output_name,
    )


def leaves_the_module(view: View) -> Finding | None:
    """Every submodule's mode, every parameter and every buffer is as it was."""
    for found in filter(None, known(reports(view.answer))):
        if found.tensors:
            return tensors_changed(found.tensors)
        if found.gradients:
            return gradients_changed(found.gradients)
        if found.modes:
            return mode_changed(found.modes, OUTERMOST in found.modes, found.raised)
    return None


def tensors_changed(names: Sequence[str]) -> Finding:
    return Finding(
        "the module's parameters and buffers as they were",
        f"other values after the call: {', '.join(names[:3])}"[:200],
        Mistakes.warms_up,
    )


def gradients_changed(names: Sequence[str]) -> Finding:
    return Finding(
        "the module's parameters as they were",
        f"another requires_grad after the call: {', '.join(names[:3])}"[:200],
        Mistakes.gradients_off,
    )


def mode_changed(names: Sequence[str], outermost: bool, raised: bool) -> Finding:
    if raised:
        return Finding(
            "the module left in its mode, after an exception too",
            f"after an exception in another mode: {names[0]}",
            Mistakes.restores_on_success,
        )
    if outermost:
        return Finding(
            "the module left in the mode in which it came",
            "the module is in another mode after the call",
            Mistakes.keeps_evaluating,
        )
    return Finding(
        "each submodule left in the mode in which it came",
        f"a submodule in another mode after the call: {names[0]}",
        Mistakes.restores_outermost,
    )


def leaves_one_file(view: View) -> Finding | None:
    """Nothing lies beside the file."""
    for found in filter(None, known(reports(view.answer))):
        if found.beside:
            return beside(view.case, found.beside)
    return None


def has_the_names(view: View) -> Finding | None:
    """Inputs have the names and the order of forward's arguments and the sizes of the example behind
    their rows, and the output is called output.
    """
    model = loading.parse(view.answer.files[MODEL])
    wanted, given = list(view.case.parameters["inputs"]), [value.name for value in _inputs(model)]
    if given != wanted:
        return other_inputs(view.case, wanted, given)
    if [value.name for value in model.graph.output] != [OUTPUT]:
        return other_outputs(view.case, [value.name for value in model.graph.output])
    for value in _inputs(model):
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim][1:]
        if sizes != view.case.parameters["inputs"][value.name]["shape"]:
            return other_axes(view.case, value)
    return None


def other_axes(case: Case, value: ValueInfoProto) -> Finding:
    sizes = [dim.dim_param or dim.dim_value or "?" for dim in value.type.tensor_type.shape.dim]
    found = f"{value.name}: {sizes}" if case.public else f"{value.name}: other sizes"
    return Finding("the example's sizes for all axes but the first", found, Mistakes.all_axes)


def has_the_opset(view: View) -> Finding | None:
    """The default domain's opset is the one that was asked for."""
    found = graphs.opset(loading.parse(view.answer.files[MODEL]))
    return None if found == OPSET else other_opset(found)


def other_opset(opset: int) -> Finding:
    cause = Mistakes.opset_17 if opset < OPSET else Mistakes.default_opset
    return Finding("opset 18", f"opset {opset}", cause, f"{PAGE}#the-opset")


def _inputs(model: ModelProto) -> list[ValueInfoProto]:
    stored = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in stored]


def _types(case: Case, model: ModelProto, reference: Reference) -> Finding | None:
    examples = [*cases.inputs(case)[0].values(), reference["0/0"]]
    values = (*_inputs(model), *model.graph.output)
    for value, example in zip(values, examples, strict=True):
        tensor = value.type.tensor_type
        wanted = helper.np_dtype_to_tensor_dtype(example.dtype)
        if tensor.elem_type != wanted:
            return other_type(value.name, wanted, tensor.elem_type)
        if tensor.HasField("shape") and len(tensor.shape.dim) != example.ndim:
            return other_rank(case, value.name, example.ndim, len(tensor.shape.dim))
    return None


def other_type(name: str, wanted: int, actual: int) -> Finding:
    names = [TensorProto.DataType.Name(number).lower() for number in (wanted, actual)]
    return Finding(f"{name}: {names[0]}", f"{name}: {names[1]}", Mistakes.narrow_integers)


def other_rank(case: Case, name: str, wanted: int, actual: int) -> Finding:
    found = f"{name}: {actual} axes" if case.public else f"{name}: another number of axes"
    return Finding(
        f"{name}: {wanted} axes",
        found,
        "The example was reshaped, or an axis dropped, before the export.",
        f"{PAGE}#the-recipe",
    )


def _axes(model: ModelProto) -> Finding | None:
    """The first axis of everything is named."""
    values = (*_inputs(model), *model.graph.output)
    fixed = [value.name for value in values if _first(value).isdigit()]
    if fixed:
        return fixed_rows(fixed, [value.name for value in _inputs(model)])
    unnamed = [value.name for value in values if not _first(value)]
    return unnamed_rows(unnamed) if unnamed else None


def fixed_rows(fixed: Sequence[str], inputs: Sequence[str]) -> Finding:
    expected = "a name for the first axis of every input and of the output"
    left = [name for name in inputs if name in fixed]
    found = f"a number at {', '.join(fixed)}"
    if not left:
        return Finding(expected, found, Mistakes.one_row_fixed)
    if len(left) < len(inputs):
        return Finding(expected, f"{found}, a name at the other input", Mistakes.first_input)
    if len(fixed) == len(inputs):
        found = "a name at the output, a number at every input"
        return Finding(expected, found, Mistakes.only_output)
    return Finding(expected, "a number everywhere: the example's", Mistakes.static)


def unnamed_rows(names: Sequence[str]) -> Finding:
    cause = "An axis without a name is open, too, but it does not say that the rows of input and output belong together."
    return Finding(
        "a name for the first axis of every input and of the output",
        f"nothing at {', '.join(names)}",
        cause,
        f"{PAGE}#open-axes",
    )


def _first(value: ValueInfoProto) -> str:
    """The first axis: its name, its number, or nothing."""
    dims = value.type.tensor_type.shape.dim
    if not dims:
        return ""
    return str(dims[0].dim_value) if dims[0].HasField("dim_value") else dims[0].dim_param


def is_open_and_evaluating(view: View) -> Finding | None:
    """The output depends on the inputs, nothing is in training mode, and the model gives one row
    for each row that it is given.
    """
    data = view.answer.files[MODEL]
    model = loading.parse(data)
    if graphs.constant_outputs(model):
        return constant()
    if left := _in_training(model):
        return training(left)
    values = cases.inputs(view.case)
    rows = [len(next(iter(each.values()))) for each in values]
    ends = [_wrong_rows(data, each, size) for each, size in zip(values, rows, strict=True)]
    wrong = [(size, text) for size, text in zip(rows, ends, strict=True) if text]
    declared = not any(_first(value).isdigit() for value in _inputs(model))
    return fixed_inside(view.case, rows, wrong, declared) if wrong else None


def constant() -> Finding:
    cause = "The result for the example is stored in the model. Another input needs another output."
    return Finding(
        "an output that depends on the inputs",
        "an output that depends on no input",
        cause,
        f"{PAGE}#open-axes",
    )


def training(operators: Sequence[str]) -> Finding:
    kinds = sorted(set(operators))
    cause = Mistakes.in_training_mode_again
    if kinds == ["BatchNormalization"]:
        cause = Mistakes.dropout_only
    return Finding(
        "a graph without training",
        f"for training: {', '.join(kinds)}",
        cause,
        f"{PAGE}#evaluation-mode",
    )


def fixed_inside(
    case: Case, rows: Sequence[int], wrong: Sequence[tuple[int, str]], declared: bool
) -> Finding:
    expected = "the model runs for any number of rows, and gives a row for each"
    quoted, read = f" ({wrong[0][1]})" if case.public else "", f"{PAGE}#open-axes"
    if any(size == rows[0] for size, _ in wrong):
        cause = "It does not run on the example's own size: run it yourself, on fresh inputs of the shapes that the task gives."
        found = f"it does not run on as many rows as the example has{quoted}"
        return Finding(expected, found, cause, read)
    if declared:
        found = f"declared open, it runs at the example's size alone{quoted}"
        return Finding(expected, found, Mistakes.declared_by_hand)
    cause = "A static model refuses every other number of rows."
    return Finding(expected, f"right at the example's size alone{quoted}", cause, read)


def _wrong_rows(data: bytes, values: dict, size: int) -> str:
    """What happens in place of an output of `size` rows, or the empty string."""
    result = _run(data, values, "ORT_DISABLE_ALL")
    if isinstance(result, str):
        return result
    is_right = result and result[0].shape[:1] == (size,)
    return "" if is_right else "it runs, and gives another number of rows"


def _in_training(model: ModelProto) -> list[str]:
    """Operators that are there for training: a Dropout of any kind, and a BatchNormalization that
    takes its batch's statistics.
    """
    return [
        node.op_type
        for node in graphs.nodes(model)
        if node.op_type == "Dropout" or (node.op_type == "BatchNormalization" and _trains(node))
    ]


def _trains(node: NodeProto) -> bool:
    modes = [attribute.i for attribute in node.attribute if attribute.name == "training_mode"]
    return bool(modes and modes[0])


def computes_the_same(view: View) -> Finding | None:
    """The outputs are the module's on fresh inputs, with and without optimization."""
    data = view.answer.files[MODEL]
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        ran = [_run(data, values, level) for values in cases.inputs(view.case)]
        found = [outputs for outputs in ran if not isinstance(outputs, str)]
        if len(found) < len(ran):
            return NEVER_RUNS
        difference = ruler.difference(view.reference, found, [OUTPUT])
        if difference:
            finding = differs(view.case, difference, level, _rounded(loading.parse(data)))
            moved = known(reports(view.answer))[0].tensors
            return replace(finding, cause=Mistakes.warms_up) if moved else finding
    return None


def differs(case: Case, difference: Difference, level: str, rounded: bool) -> Finding:
    cause: Cause
    expected = "the module's outputs in evaluation mode"
    if difference.kind == "value":
        expected += f", to {difference.expected}"
    found = (
        f"{difference.kind}: {difference.found}, at {level}"
        if case.public
        else f"another {difference.kind}, at {level}"
    )
    cause = "Another function was exported: an output too many or too few steps on, another module, or one that had been run in training."
    if rounded:
        cause = Mistakes.half_weights
    return Finding(expected, found, cause, VALIDATE)


def _run(data: bytes, values: dict[str, np.ndarray], level: str) -> list[np.ndarray] | str:
    """The outputs, or why there are none. Inputs are fed in their order: what their names are, the
    contract has said.
    """
    names = [value.name for value in _inputs(loading.parse(data))]
    if len(names) != len(values):
        return f"{len(names)} inputs"
    try:
        [[found]] = numerics.run(data, [dict(zip(names, values.values(), strict=True))], level)
    except Exception as error:
        return loading.first_line(error, 160)
    is_tensors = all(isinstance(each, np.ndarray) for each in found)
    return found if is_tensors else "an output that is no tensor"


def _rounded(model: ModelProto) -> bool:
    """Are all weights numbers of half precision?"""
    weights = [numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    floats = [weight for weight in weights if weight.dtype == np.float32 and weight.size > 8]
    return bool(floats) and all(
        np.array_equal(weight, weight.astype(np.float16)) for weight in floats
    )


def is_named_alike(view: View) -> Finding | None:
    """The open axis has one name on every input and on the output."""
    model = loading.parse(view.answer.files[MODEL])
    given = {value.name: _first(value) for value in (*_inputs(model), *model.graph.output)}
    names = set(given.values())
    if len(names) == 1 and not names & {""} and not any(name.isdigit() for name in names):
        return None
    return several_names(view.case, given)


def several_names(case: Case, actual: dict[str, str]) -> Finding:
    shown = (
        ", ".join(f"{name}: {axis or 'nothing'}" for name, axis in actual.items())
        if case.public
        else "several names"
    )
    return Finding(
        "one name for the rows, the same on every input and on the output",
        shown,
        Mistakes.invented_names,
    )

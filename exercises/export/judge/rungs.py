"""The rungs of `export`. Each looks at the file that one call wrote, and at the report of what else
the call did.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

from formatlab import graphs, loading, numerics
from formatlab_exercises.export.ask import OLDER, OUTERMOST, REPORT, model_of
from formatlab_exercises.export.judge import cases, findings
from formatlab_exercises.export.judge.findings import PAGE, VALIDATE
from formatlab_exercises.export.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import ruler, torch_errors
from nbjudge.contract import Answer, Case, Finding, Reference, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

CAPS = loading.Caps(bytes=1 << 20, nodes=1000, elements=20_000)
OUTPUT = "output"
# An answer's files as the rungs read them: of the case's own module, and of the other one.
MODEL, OTHER = "model.onnx", "other.onnx"


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
        explained = torch_errors.explained(finding, view.answer, findings.TORCH_CAUSES)
        return (
            findings.refused_rows(finding)
            if explained is finding and _rows_fixed(view)
            else explained
        )
    found = reports(view.answer)
    if found is None:
        cause = outcome.INTERFERED
        return Finding("a file at path", "no readable answer", cause, f"{PAGE}#one-file")
    module, other = found
    if MODEL not in view.answer.files:
        return findings.no_file(module.beside)
    left = view.answer.files.get(OTHER)
    if other is None:
        return None
    if not view.case.parameters["newer"]:
        return findings.no_file(other.beside) if left is None else None
    if other.raised and left is not None:
        return findings.OLDER_LEFT if left == OLDER else findings.LEFT_BEHIND
    if not other.raised and left in (None, OLDER):
        return findings.SILENT
    return None


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
        return findings.newer(finding) if finding and is_newer else finding
    return finding


def _refusal(case: Case, data: bytes) -> Finding | None:
    try:
        loading.refuse(data, CAPS, frozenset({""}) | _local_domains(data))
        loading.validate(data)
        loading.session(data, "ORT_ENABLE_ALL")
    except loading.Unloadable as problem:
        return findings.unloadable(case, problem, data)
    except Exception as error:
        found = loading.first_line(error) if case.public else "it refuses the model"
        cause = "The model loads as it is written and not once it is optimized: a name or a type is written twice."
        return Finding("a model that ONNX Runtime loads at ORT_ENABLE_ALL", found, cause, VALIDATE)
    return None


def _local_domains(data: bytes) -> frozenset[str]:
    return frozenset(graphs.domain(function.domain) for function in loading.parse(data).functions)


def has_open_rows(view: View) -> Finding | None:
    """As many inputs as forward has arguments, one output, their types and numbers of axes, and a
    first axis without a number. What they are called, the properties say.
    """
    model = loading.parse(view.answer.files[MODEL])
    wanted, given = list(view.case.parameters["inputs"]), [value.name for value in _inputs(model)]
    if len(given) != len(wanted):
        return findings.other_inputs(view.case, wanted, given)
    if len(model.graph.output) != 1:
        return findings.other_outputs(view.case, [value.name for value in model.graph.output])
    return _types(view.case, model, view.reference) or _axes(model)


def leaves_the_module(view: View) -> Finding | None:
    """Every submodule's mode, every parameter and every buffer is as it was."""
    for found in filter(None, known(reports(view.answer))):
        if found.tensors:
            return findings.tensors_changed(found.tensors)
        if found.gradients:
            return findings.gradients_changed(found.gradients)
        if found.modes:
            return findings.mode_changed(found.modes, OUTERMOST in found.modes, found.raised)
    return None


def leaves_one_file(view: View) -> Finding | None:
    """Nothing lies beside the file."""
    for found in filter(None, known(reports(view.answer))):
        if found.beside:
            return findings.beside(view.case, found.beside)
    return None


def has_the_names(view: View) -> Finding | None:
    """Inputs have the names and the order of forward's arguments and the sizes of the example behind
    their rows, and the output is called output.
    """
    model = loading.parse(view.answer.files[MODEL])
    wanted, given = list(view.case.parameters["inputs"]), [value.name for value in _inputs(model)]
    if given != wanted:
        return findings.other_inputs(view.case, wanted, given)
    if [value.name for value in model.graph.output] != [OUTPUT]:
        return findings.other_outputs(view.case, [value.name for value in model.graph.output])
    for value in _inputs(model):
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim][1:]
        if sizes != view.case.parameters["inputs"][value.name]["shape"]:
            return findings.other_axes(view.case, value)
    return None


def has_the_opset(view: View) -> Finding | None:
    """The default domain's opset is the one that was asked for."""
    found = graphs.opset(loading.parse(view.answer.files[MODEL]))
    return None if found == findings.OPSET else findings.other_opset(found)


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
            return findings.other_type(value.name, wanted, tensor.elem_type)
        if tensor.HasField("shape") and len(tensor.shape.dim) != example.ndim:
            return findings.other_rank(case, value.name, example.ndim, len(tensor.shape.dim))
    return None


def _axes(model: ModelProto) -> Finding | None:
    """The first axis of everything is named."""
    values = (*_inputs(model), *model.graph.output)
    fixed = [value.name for value in values if _first(value).isdigit()]
    if fixed:
        return findings.fixed_rows(fixed, [value.name for value in _inputs(model)])
    unnamed = [value.name for value in values if not _first(value)]
    return findings.unnamed_rows(unnamed) if unnamed else None


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
        return findings.constant()
    if left := _in_training(model):
        return findings.training(left)
    values = cases.inputs(view.case)
    rows = [len(next(iter(each.values()))) for each in values]
    ends = [_wrong_rows(data, each, size) for each, size in zip(values, rows, strict=True)]
    wrong = [(size, text) for size, text in zip(rows, ends, strict=True) if text]
    declared = not any(_first(value).isdigit() for value in _inputs(model))
    return findings.fixed_inside(view.case, rows, wrong, declared) if wrong else None


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
            return findings.NEVER_RUNS
        difference = ruler.difference(view.reference, found, [OUTPUT])
        if difference:
            finding = findings.differs(view.case, difference, level, _rounded(loading.parse(data)))
            moved = known(reports(view.answer))[0].tensors
            return replace(finding, cause=Mistakes.warms_up) if moved else finding
    return None


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
    return findings.several_names(view.case, given)

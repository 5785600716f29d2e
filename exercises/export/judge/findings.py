"""What the findings of `export` say: what was found, its likely cause, and where to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onnx import TensorProto, ValueInfoProto

from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.export.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause

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


def no_file(others: Sequence[str]) -> Finding:
    found = f"no file there{', but other files beside it' if others else ''}"
    cause = Mistakes.path_ignored if others else Mistakes.returns_program
    return Finding("a file at path", found, cause, f"{PAGE}#one-file")


def unloadable(case: Case, problem: Unloadable, data: bytes) -> Finding:
    found = refusal(case, problem)
    if "another file" in problem.found:
        return Finding("one file with the weights inside", found, Mistakes.external_data)
    kind = next((words for start, words in FORMATS.items() if data.startswith(start)), None)
    if kind:
        return Finding("an ONNX model", kind, Mistakes.saves_module)
    return Finding(problem.expected, found, problem.cause, VALIDATE)


def newer(finding: Finding) -> Finding:
    """A file of a module that opset 18 has no operator for, which does not load."""
    return replace(
        finding,
        expected="a valid model of opset 18, or an exception and no file",
        cause=Mistakes.no_check,
        read=f"{PAGE}#the-opset",
    )


def refused_rows(finding: Finding) -> Finding:
    """What was raised for a module whose rows the exporter fixes where the example has one."""
    return replace(
        finding,
        cause="The example of this case has one row, and an exporter may take a size of 1 for a "
        "constant. If your own check refused the file, the check is right: export with two rows.",
        read=f"{PAGE}#open-axes",
    )


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


def beside(case: Case, names: Sequence[str]) -> Finding:
    found = f"more files: {', '.join(names)}" if case.public else "more files in the folder"
    return Finding("one file, and nothing beside it", found, Mistakes.report_beside)


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


def other_opset(opset: int) -> Finding:
    cause = Mistakes.opset_17 if opset < OPSET else Mistakes.default_opset
    return Finding("opset 18", f"opset {opset}", cause, f"{PAGE}#the-opset")


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


def other_axes(case: Case, value: ValueInfoProto) -> Finding:
    sizes = [dim.dim_param or dim.dim_value or "?" for dim in value.type.tensor_type.shape.dim]
    found = f"{value.name}: {sizes}" if case.public else f"{value.name}: other sizes"
    return Finding("the example's sizes for all axes but the first", found, Mistakes.all_axes)


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


NEVER_RUNS = Finding(
    "outputs on fresh inputs",
    "none",
    "No run gave an output that can be compared.",
    VALIDATE,
)


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

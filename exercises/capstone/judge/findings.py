"""What the rungs of `capstone` say, and which mistake they take it for."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from formatlab import graphs, loading
from formatlab.loading import Unloadable
from formatlab_exercises.capstone.judge import artefacts
from formatlab_exercises.capstone.judge.misconceptions import Mistakes
from formatlab_exercises.capstone.passport import PAGE
from formatlab_exercises.shared.judge.models import refusal
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause

INPUT, OUTPUT, BATCH = "input", "output", "batch"

FP16, INT8 = "lab-7-01/03-fp16", "lab-7-01/04-int8"
VALIDATE = "day-50/line-2-prove#the-recipe"

READ = {
    "fp32.onnx": "day-50/line-1-export#open-axes",
    "fp16.onnx": f"{FP16}#conversion-routes",
    "int8.onnx": f"{INT8}#dynamic-and-static",
}

STORED = 0.9

# SQNR in dB that each file reaches with room, however it was made: float32 is above 120, float16
# above 55, 8 bits above 30.
LEAST = {"fp32.onnx": 90.0, "fp16.onnx": 45.0, "int8.onnx": 20.0}


def refused(
    case: Case, name: str, data: bytes, problem: Unloadable, has_data_file: bool
) -> Finding:
    """What is wrong with a file that does not load; two mistakes have causes of their own."""
    unwritten = graphs.unwritten(loading.parse(data)) if "checker" in problem.expected else []
    if any(tensor.external_data for tensor in _tensors(data)):
        where = "a .data file beside it" if has_data_file else "another file"
        found = f"its weights are in {where}"
        return Finding(f"{name} with its weights inside", found, Mistakes.data_beside)
    if unwritten and unwritten[0].later:
        cause, found = Mistakes.unsorted, "a node stands before the one that writes its input"
        return Finding(f"{name} that onnx.checker accepts", found, cause, f"{FP16}#validity")
    found = refusal(case, problem, "file")
    return Finding(f"{name}: {problem.expected}", found, problem.cause, VALIDATE)


def _tensors(data: bytes) -> list:
    try:
        return list(graphs.tensors(loading.parse(data)))
    except Unloadable:
        return []


# What a call may have changed, the worst first.
CHANGED = {
    "weights": Finding(
        "a module with the weights that it had",
        "its state_dict has changed",
        Mistakes.half_in_place,
    ),
    "mode": Finding(
        "a module in the mode in which it was given",
        "it is in another mode",
        Mistakes.eval_in_place,
    ),
    "parts": Finding(
        "each part of the module in the mode in which it was given",
        "parts of it are in another mode, and the module itself is not",
        Mistakes.one_mode_for_all,
    ),
    "example": Finding(
        "the example as it was",
        "its rows have changed",
        "The rows are only read: copy them before you change them.",
        PAGE,
    ),
}


def changed_arguments(changed: list[str]) -> Finding | None:
    return next((CHANGED[what] for what in CHANGED if what in changed), None)


def signature(case: Case, name: str, kind: str, wanted: dict, found: list[dict]) -> Finding:
    shown = f"{wanted['name']}: {wanted['dtype']} [{', '.join(map(str, wanted['shape']))}]"
    expected = f"{name}: one {kind}, {shown if case.public else 'the asked-for signature'}"
    if len(found) != 1 or found[0]["name"] != wanted["name"]:
        text, cause = f"{kind}s of another name or number", Mistakes.own_names
    elif found[0]["dtype"] != wanted["dtype"]:
        text, cause = f"an {kind} of another dtype", Mistakes.half_inputs
    elif found[0]["shape"][:1] != [BATCH]:
        text = f"an {kind} whose first dimension is fixed, or has another name"
        cause = Mistakes.fixed_rows
    else:
        text, cause = f"an {kind} of another shape", Mistakes.another_module
    return Finding(expected, text, cause, READ["fp32.onnx"])


def stored(case: Case, name: str, data: bytes, held: float, numbers: int) -> Finding:
    cause: Cause
    words = {"fp32.onnx": "float32", "fp16.onnx": "float16", "int8.onnx": "int8 or uint8"}[name]
    expected = f"{name}: at least {STORED:.0%} of the constants' elements are {words}"
    still = artefacts.elements(data, artefacts.FLOAT32) > (1 - STORED) * numbers
    found = f"{held:.0%} of them" if case.public else "hardly any" if held < 0.1 else "less"
    found += "; float32 is left" if still and name != "fp32.onnx" else ""
    cause = "The constants have another type than the file's name says."
    if name == "fp16.onnx":
        cause = Mistakes.renamed_copy
    elif still:
        cause = Mistakes.simulated
    return Finding(expected, found, cause, READ[name])


def does_not_run(case: Case, name: str, error: str, rows: str) -> Finding:
    cause = Mistakes.rows_inside
    found = f"on {rows}: {error}" if case.public else f"it does not run on {rows}"
    return Finding(f"{name}: it runs for any number of rows", found, cause, READ["fp32.onnx"])


def too_far(case: Case, name: str, model: ModelProto, rows: str, reached: float) -> Finding:
    where = "the example" if rows == "example" else "other rows like the example's"
    expected = (
        f"{name}: an SQNR of {LEAST[name]:.0f} dB against the module in evaluation mode, on {where}"
    )
    found = f"{reached:.1f} dB" if case.public and np.isfinite(reached) else "less"
    if in_training(model):
        return Finding(expected, f"{found}: the module in training mode", Mistakes.training_export)
    causes: dict[str, Cause] = {
        "fp32.onnx": "Nothing is rounded here: another module was exported, or the export lost something. Compare layer by layer.",
        "fp16.onnx": "Float16 has 11 significant bits, worth more than this: something was converted twice, or overflows.",
        "int8.onnx": Mistakes.zero_calibration,
    }
    return Finding(
        expected,
        found,
        causes[name],
        f"{INT8}#calibration" if name == "int8.onnx" else f"{FP16}#range",
    )


NEVER_RUNS = Finding(
    "fp32.onnx: a file that runs on the example",
    "it runs neither on the example nor on fewer rows",
    Mistakes.never_runs,
    VALIDATE,
)


def in_training(model: ModelProto) -> bool:
    """Whether a Dropout or a batch norm may be in training mode."""
    for node in graphs.nodes(model):
        training = any(
            attribute.name == "training_mode" and attribute.i for attribute in node.attribute
        )
        if node.op_type == "Dropout" or (node.op_type == "BatchNormalization" and training):
            return True
    return False

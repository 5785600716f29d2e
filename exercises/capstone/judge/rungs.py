"""The rungs of `capstone` about files: what is in the directory is what was asked for. `audit` holds
the passport against it.

A hidden case's finding names no value of the answer: what a student's code writes could carry the
hidden input out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from onnx import ModelProto
from safetensors import SafetensorError
from safetensors.numpy import load

from formatlab import graphs, loading, numerics, quantized
from formatlab.loading import Caps, Unloadable
from formatlab_exercises.capstone import ask, passport
from formatlab_exercises.capstone.ask import PASSPORT, REPORT
from formatlab_exercises.capstone.judge import artefacts, cases
from formatlab_exercises.capstone.judge.misconceptions import Mistakes
from formatlab_exercises.capstone.passport import PAGE, WEIGHTS
from formatlab_exercises.shared.judge.models import refusal
from formatlab_exercises.shared.judge.quantized_loading import known_operators
from nbjudge.contract import Answer, Case, Finding, Inspect, View
from nbjudge.findings import Cause
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known
from nbjudge.wire import MAX_ANSWER, WireError, safe_json

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
NEVER_RUNS = Finding(
    "fp32.onnx: a file that runs on the example",
    "it runs neither on the example nor on fewer rows",
    Mistakes.never_runs,
    VALIDATE,
)

FP32 = "fp32.onnx"
# `com.microsoft` holds operators that quantizers write.
DOMAINS = frozenset({"", "com.microsoft"})
# At 0 dB the difference is as large as the output itself. What is exported in training mode is
# nearer.
ANOTHER = 0.0
# On how many rows a file is tried that fails on all of the example's: an export may hold the number
# of rows that it was made with.
FEWER = (32, 16, 8, 4, 2, 1)
# What safetensors raises for a file of another format.
UNREADABLE = (SafetensorError, KeyError, ValueError, TypeError)
NOT_JSON = {
    passport.A_DICT: Mistakes.text,
    passport.PLAIN: Mistakes.numpy_numbers,
    passport.FINITE: Mistakes.infinite,
}


def report(answer: Answer) -> dict | None:
    """The report that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    found = outcome.report(answer, REPORT, changed=list, data=bool)
    return found if found and all(isinstance(word, str) for word in found["changed"]) else None


def read_passport(answer: Answer) -> Any:
    """The passport as JSON has it, None where there is none."""
    try:
        return safe_json(answer.files.get(PASSPORT, b""), max_bytes=MAX_ANSWER)
    except WireError:
        return None


def is_passport(view: View) -> Finding | None:
    """The function returns a dict that JSON can hold."""
    finding = outcome.returns(passport.A_DICT, PAGE, report)(view)
    if finding is not None:
        if "xternal data" in view.answer.error.get("text", ""):
            return replace(finding, cause=Mistakes.data_beside, read=Mistakes.data_beside.read)
        words = view.answer.error.get("expected", "") if view.answer.outcome == "wrong_type" else ""
        return (
            replace(finding, expected=words, cause=NOT_JSON[words])
            if words in NOT_JSON
            else finding
        )
    if isinstance(read_passport(view.answer), dict):
        return None
    return Finding(passport.A_DICT, "something else, or nothing", Mistakes.text)


def loads(view: View) -> Finding | None:
    """There is an fp32.onnx, and what reads it accepts it."""
    if FP32 not in view.answer.files:
        return Finding(f"{FP32} in the directory", "no such file", Mistakes.other_folder)
    return _unreadable(view, FP32)


def _unreadable(view: View, name: str) -> Finding | None:
    data = view.answer.files[name]
    try:
        _validate(data, cases.parameters(ask.weights(view.case)))
    except Unloadable as problem:
        has_data_file = known(report(view.answer))["data"]
        return refused(view.case, name, data, problem, has_data_file)
    return None


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


def is_readable(view: View, name: str) -> bool:
    """Whether what reads a file of the answer accepts it."""
    data = view.answer.files[name]
    if name != WEIGHTS:
        return _is_valid(data, cases.parameters(ask.weights(view.case)))
    try:
        load(data)
    except UNREADABLE:
        return False
    return True


@lru_cache(maxsize=32)  # more than an answer has models: each rung of the passport asks
def _is_valid(data: bytes, count: int) -> bool:
    try:
        _validate(data, count)
    except Unloadable:
        return False
    return True


def _validate(data: bytes, count: int) -> None:
    """Raises Unloadable for a model that is not valid, or too large for a module of `count` numbers."""
    loading.refuse(
        data, Caps(bytes=8 * count + (2 << 20), nodes=4000, elements=3 * count + 100_000), DOMAINS
    )
    known_operators(loading.parse(data), [])
    loading.validate(data)
    try:
        quantized.runnable(data)
    except quantized.Refused as error:
        cause = "A quantized operator is used that only some processors or runtimes know. Quantize with QDQ nodes, or dynamically."
        raise Unloadable(
            "operators that every processor computes alike", str(error), cause, quotes=True
        ) from None


def leaves_the_module(view: View) -> Finding | None:
    """The module and the example are as they were."""
    return changed_arguments(known(report(view.answer))["changed"])


def changed_arguments(changed: list[str]) -> Finding | None:
    return next((CHANGED[what] for what in CHANGED if what in changed), None)


def is_a_right(name: str) -> Inspect:
    """An inspection of one ONNX file: it is there, what reads it accepts it, its signature is the
    one asked for, its constants have the type that its name promises, and it computes what the module
    does.
    """

    def is_right(view: View) -> Finding | None:
        data = view.answer.files.get(name)
        if data is None:
            return Finding(f"{name} in the directory", "no such file", Mistakes.no_int8)
        return (
            _unreadable(view, name)
            or _wrong_signature(view, name)
            or _other_contents(view.case, name, data)
            or _other_outputs(view, name, data)
        )

    return is_right


def are_the_weights(view: View) -> Finding | None:
    """weights.safetensors holds the module's state_dict, to the bit."""
    data = view.answer.files.get(WEIGHTS)
    if data is None:
        return Finding(f"{WEIGHTS} in the directory", "no such file", Mistakes.no_int8)
    try:
        stored = load(data)
    except UNREADABLE:
        expected, found = f"{WEIGHTS} that safetensors reads", "a file of another format"
        return Finding(expected, found, Mistakes.pickled)
    return _other_weights(view.case, stored) or _other_numbers(view.case, stored)


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


def _wrong_signature(view: View, name: str) -> Finding | None:
    """A converted file may have the names of the file that it was made of: a wrong name is a fault of
    that one.
    """
    sizes = ask.example(view.case).shape[1:]
    classes = view.reference["example"].shape[1]
    wanted = {
        "input": {"name": INPUT, "dtype": "float32", "shape": [BATCH, *sizes]},
        "output": {"name": OUTPUT, "dtype": "float32", "shape": [BATCH, classes]},
    }
    found, exported = (_signature(view.answer.files[which]) for which in (name, FP32))
    for kind, one in wanted.items():
        allowed = [one]
        if name != FP32 and len(exported[kind]) == 1:
            allowed.append(one | {"name": exported[kind][0]["name"]})
        if found[kind] not in [[each] for each in allowed]:
            return signature(view.case, name, kind, one, found[kind])
    return None


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


def _signature(data: bytes) -> dict[str, list[dict]]:
    model = loading.parse(data)
    return {
        "input": artefacts.signature(artefacts.stored_inputs(model)),
        "output": artefacts.signature(model.graph.output),
    }


def _other_weights(case: Case, stored: ask.Weights) -> Finding | None:
    wanted, found = (
        {key: (value.dtype, value.shape) for key, value in which.items()}
        for which in (ask.weights(case), stored)
    )
    if wanted == found:
        return None
    return Finding(
        f"{WEIGHTS}: the module's state_dict",
        "other names, dtypes or shapes",
        Mistakes.parameters_only,
    )


def _other_contents(case: Case, name: str, data: bytes) -> Finding | None:
    if graphs.constant_outputs(loading.parse(data)):
        expected, found = f"{name}: an output that depends on the input", "one that does not"
        cause = "The output of one run is stored in the file. Other rows need another output."
        return Finding(expected, found, cause, VALIDATE)
    numbers = cases.parameters(ask.weights(case))
    held = artefacts.share(data, artefacts.STORED[name], numbers)
    return stored(case, name, data, held, numbers) if held < STORED else None


def is_of_the_module(view: View) -> Finding | None:
    """fp32.onnx is made of the module that was given. One that is only worse than asked is left to
    `is_a_right`.
    """
    reached = _sqnr_where_it_runs(view)
    if reached is None and not _takes_other_rows(view):
        return NEVER_RUNS
    if reached is not None and reached > ANOTHER:
        return None
    return Finding(
        "fp32.onnx: the module that is given",
        "a model that computes something else",
        Mistakes.another_module,
        READ[FP32],
    )


def _takes_other_rows(view: View) -> bool:
    """Whether fp32.onnx declares that it takes rows of other sizes than the example's."""
    inputs = _signature(view.answer.files[FP32])["input"]
    sizes = ask.example(view.case).shape[1:]
    if len(inputs) != 1 or len(inputs[0]["shape"]) != len(sizes) + 1:
        return True
    pairs = zip(inputs[0]["shape"][1:], sizes, strict=True)
    return any(isinstance(size, int) and size != wanted for size, wanted in pairs)


def _sqnr_where_it_runs(view: View) -> float | None:
    """The SQNR of fp32.onnx on the example, or on its first rows; None if it runs on no number of them."""
    data, rows = view.answer.files[FP32], ask.example(view.case)
    for count in (len(rows), *FEWER):
        try:
            found = artefacts.evaluate_as_declared(data, rows[:count])
        except numerics.TooExpensive:
            return None
        except Exception:  # of whichever runtime
            continue
        return artefacts.sqnr(view.reference["example"][:count], found)
    return None


def _other_numbers(case: Case, stored: ask.Weights) -> Finding | None:
    state = ask.weights(case)
    if all(stored[name].tobytes() == state[name].tobytes() for name in state):
        return None
    expected, cause = f"{WEIGHTS}: the module's numbers, to the bit", Mistakes.weights_of_float16
    return Finding(expected, "other numbers", cause, "day-50/07-safetensors#dtypes")


def _other_outputs(view: View, name: str, data: bytes) -> Finding | None:
    found, rows = {}, "the rows of the example"
    try:
        found["example"] = artefacts.evaluate(data, ask.example(view.case))
        rows = "one row, or seven"
        found["fresh"] = artefacts.evaluate(data, cases.fresh(view.case), split=True)
    except Exception as error:
        return does_not_run(view.case, name, loading.first_line(error), rows)
    for rows, outputs in found.items():
        reached = artefacts.sqnr(view.reference[rows], outputs)
        if reached < LEAST[name]:
            return too_far(view.case, name, loading.parse(data), rows, reached)
    return None


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


def in_training(model: ModelProto) -> bool:
    """Whether a Dropout or a batch norm may be in training mode."""
    for node in graphs.nodes(model):
        training = any(
            attribute.name == "training_mode" and attribute.i for attribute in node.attribute
        )
        if node.op_type == "Dropout" or (node.op_type == "BatchNormalization" and training):
            return True
    return False

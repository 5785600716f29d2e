"""The rungs of `capstone` up to numerics: what is in the directory is what was asked for. `audit`
holds the passport against it.

A hidden case's finding names no value of the answer: what a student's code writes could carry the
hidden input out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from onnx import ModelProto
from safetensors import SafetensorError
from safetensors.numpy import load

from autograder.contract import Answer, Case, Finding, View
from autograder.rungs import outcome
from autograder.wire import WireError, safe_json
from exercises.capstone import ask, passport
from exercises.capstone.ask import PASSPORT, REPORT
from exercises.capstone.judge import artefacts, cases, misconceptions, schema
from exercises.capstone.passport import MODELS, PAGE, WEIGHTS
from exercises.shared.judge.models import refusal
from workbench import graphs, loading, quantized
from workbench.loading import Caps, Unloadable

INPUT, OUTPUT, BATCH = "input", "output", "batch"
EXPORT, FP16, INT8 = "lab-7-01/01-export-and-run", "lab-7-01/03-fp16", "lab-7-01/04-int8"
READ = {
    "fp32.onnx": f"{EXPORT}#dynamic-dimensions",
    "fp16.onnx": f"{FP16}#conversion-routes",
    "int8.onnx": f"{INT8}#dynamic-and-static",
}
# `com.microsoft` holds operators that quantizers write.
DOMAINS = frozenset({"", "com.microsoft"})
STORED = 0.9
# SQNR in dB that each file reaches with room, however it was made: float32 is above 120, float16
# above 55, 8 bits above 30.
LEAST = {"fp32.onnx": 90.0, "fp16.onnx": 45.0, "int8.onnx": 20.0}
# At 0 dB the difference is as large as the output itself. What is exported in training mode is
# nearer.
ANOTHER = 0.0
NOT_JSON = {
    passport.A_DICT: misconceptions.text,
    passport.PLAIN: misconceptions.numpy_numbers,
    passport.FINITE: misconceptions.infinite,
}


def report(answer: Answer) -> dict | None:
    """The report that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    found = outcome.report(answer, REPORT, changed=list, data=bool)
    return found if found and all(isinstance(word, str) for word in found["changed"]) else None


def read_passport(answer: Answer) -> object:
    """The passport as JSON has it, None where there is none."""
    try:
        return safe_json(answer.files.get(PASSPORT, b""))
    except WireError:
        return None


def models(answer: Answer) -> Iterator[tuple[str, bytes]]:
    """The ONNX files of the answer, in the order of the pipeline."""
    return ((name, answer.files[name]) for name in MODELS if name in answer.files)


def is_passport(view: View) -> Finding | None:
    """The function returns a dict that JSON can hold, with the keys and types of the schema."""
    finding = outcome.returns(passport.A_DICT, PAGE, report)(view)
    if finding is not None:
        words = view.answer.error.get("expected", "") if view.answer.outcome == "wrong_type" else ""
        return (
            replace(finding, expected=words, cause=NOT_JSON[words])
            if words in NOT_JSON
            else finding
        )
    problem = schema.problem(read_passport(view.answer))
    if problem:
        place, words = problem
        cause = misconceptions.no_imports
        return Finding(f"{place}: {words}", "something else, or nothing", cause, PAGE)
    return None


def loads(view: View) -> Finding | None:
    """There is an fp32.onnx, and every file is accepted by what reads it."""
    if "fp32.onnx" not in view.answer.files:
        cause = misconceptions.other_folder
        return Finding("fp32.onnx in the directory", "no such file", cause, f"{EXPORT}#validate")
    for name, data in models(view.answer):
        try:
            _validate(view.case, data)
        except Unloadable as problem:
            return _refused(view.case, view.answer, name, data, problem)
    if WEIGHTS in view.answer.files:
        try:
            load(view.answer.files[WEIGHTS])
        except (SafetensorError, KeyError, ValueError, TypeError):
            cause = misconceptions.pickled
            return Finding(
                f"{WEIGHTS} that safetensors reads",
                "a file of another format",
                cause,
                "day-50/07-safetensors#pickle",
            )
    return None


def _validate(case: Case, data: bytes) -> None:
    count = cases.parameters(ask.weights(case))
    loading.refuse(
        data, Caps(bytes=8 * count + (2 << 20), nodes=4000, elements=3 * count + 100_000), DOMAINS
    )
    loading.validate(data)
    try:
        quantized.runnable(data)
    except quantized.Refused as error:
        cause = "A quantized operator is used that only some processors or runtimes know. Quantize with QDQ nodes, or dynamically."
        raise Unloadable(
            "operators that every processor computes alike", str(error), cause, quotes=True
        ) from None


def _refused(case: Case, answer: Answer, name: str, data: bytes, problem: Unloadable) -> Finding:
    """What is wrong with a file that does not load; two mistakes have causes of their own."""
    unwritten = graphs.unwritten(loading.parse(data)) if "checker" in problem.expected else []
    if any(tensor.external_data for tensor in _tensors(data)):
        beside = "in a .data file beside it" if report(answer)["data"] else "in another file"
        cause = misconceptions.data_beside
        return Finding(
            f"{name} with its weights inside",
            f"its weights are {beside}",
            cause,
            f"{EXPORT}#validate",
        )
    if unwritten and unwritten[0].later:
        cause = misconceptions.unsorted
        found = "a node stands before the one that writes its input"
        return Finding(f"{name} that onnx.checker accepts", found, cause, f"{FP16}#validity")
    found = refusal(case, problem, "file")
    return Finding(f"{name}: {problem.expected}", found, problem.cause, f"{EXPORT}#validate")


def _tensors(data: bytes) -> list:
    try:
        return list(graphs.tensors(loading.parse(data)))
    except Unloadable:
        return []


def keeps_contract(view: View) -> Finding | None:
    """The module is as it was; every ONNX file has the signature; the weights have the module's
    names, dtypes and shapes.
    """
    finding = _unchanged(report(view.answer)["changed"])
    if finding:
        return finding
    rows, classes = ask.example(view.case), view.reference["example"].shape[1]
    for name, data in models(view.answer):
        model = loading.parse(data)
        for kind, values, wanted in (
            (
                "input",
                artefacts.stored_inputs(model),
                {"name": INPUT, "dtype": "float32", "shape": [BATCH, *rows.shape[1:]]},
            ),
            (
                "output",
                list(model.graph.output),
                {"name": OUTPUT, "dtype": "float32", "shape": [BATCH, classes]},
            ),
        ):
            found = artefacts.signature(values)
            if found != [wanted]:
                return _signature(view.case, name, kind, wanted, found)
    if WEIGHTS in view.answer.files:
        state, stored = ask.weights(view.case), load(view.answer.files[WEIGHTS])
        kinds = [
            {key: (value.dtype, value.shape) for key, value in which.items()}
            for which in (state, stored)
        ]
        if kinds[0] != kinds[1]:
            cause = misconceptions.parameters_only
            return Finding(
                f"{WEIGHTS}: the module's state_dict",
                "other names, dtypes or shapes",
                cause,
                "day-50/07-safetensors#header",
            )
    return None


def _unchanged(changed: list[str]) -> Finding | None:
    if not changed:
        return None
    if "weights" in changed:
        cause = misconceptions.half_in_place
        return Finding(
            "a module with the weights that it had",
            "its state_dict has changed",
            cause,
            f"{EXPORT}#validate",
        )
    if "mode" in changed:
        cause = misconceptions.eval_in_place
        return Finding(
            "a module in the mode in which it was given",
            "parts of it are in another mode",
            cause,
            f"{EXPORT}#validate",
        )
    return Finding(
        "the example as it was",
        "its rows have changed",
        "The rows are only read: copy them before you change them.",
        PAGE,
    )


def _signature(case: Case, name: str, kind: str, wanted: dict, found: list[dict]) -> Finding:
    shown = (
        f"{wanted['name']}: {wanted['dtype']} [{', '.join(map(str, wanted['shape']))}]"
        if case.public
        else "the asked-for signature"
    )
    expected = f"{name}: one {kind}, {shown}"
    if len(found) != 1 or found[0]["name"] != wanted["name"]:
        text, cause = f"{kind}s of another name or number", misconceptions.own_names
    elif found[0]["dtype"] != wanted["dtype"]:
        text, cause = (
            f"an {kind} of another dtype",
            misconceptions.half_inputs,
        )
    elif found[0]["shape"][:1] != [BATCH]:
        text = f"an {kind} whose first dimension is fixed, or has another name"
        cause = misconceptions.fixed_rows
    else:
        text, cause = f"an {kind} of another shape", misconceptions.another_module
    return Finding(expected, text, cause, READ["fp32.onnx"])


def is_what_it_says(view: View) -> Finding | None:
    """Four files with four entries, and in each ONNX file the constants of the type that its name
    promises.
    """
    listed = schema.entries(read_passport(view.answer))
    for name in passport.FILES:
        if name not in view.answer.files or name not in listed:
            what = (
                "no such file"
                if name not in view.answer.files
                else "the file, and no entry in the passport"
            )
            cause = misconceptions.no_int8
            return Finding(f"{name}, and its entry in the passport", what, cause, PAGE)
    for name, data in models(view.answer):
        if graphs.constant_outputs(loading.parse(data)):
            cause = "The output of one run is stored in the file. Other rows need another output."
            return Finding(
                f"{name}: an output that depends on the input",
                "one that does not",
                cause,
                f"{EXPORT}#validate",
            )
        held = artefacts.share(data, artefacts.STORED[name])
        if held < STORED:
            return _stored(view.case, name, data, held)
    return None


def _stored(case: Case, name: str, data: bytes, held: float) -> Finding:
    words = {"fp32.onnx": "float32", "fp16.onnx": "float16", "int8.onnx": "int8 or uint8"}[name]
    still = artefacts.share(data, artefacts.FLOAT32) > 1 - STORED
    found = f"{held:.0%} of them" if case.public else "less of them"
    found += "; float32 is left" if still and name != "fp32.onnx" else ""
    if name == "fp16.onnx":
        cause = misconceptions.renamed_copy
    elif still:
        cause = misconceptions.simulated
    else:
        cause = "The constants have another type than the file's name says."
    return Finding(
        f"{name}: at least {STORED:.0%} of the constants' elements are {words}",
        found,
        cause,
        READ[name],
    )


def is_of_the_module(view: View) -> Finding | None:
    """fp32.onnx is made of the module that was given. One that is only worse than asked is left to
    `computes_the_same`.
    """
    data, rows = view.answer.files["fp32.onnx"], ask.example(view.case)
    try:
        reached = artefacts.sqnr(view.reference["example"], artefacts.evaluate(data, rows))
    except Exception:
        shapes = [
            found["shape"][1:]
            for found in artefacts.signature(artefacts.stored_inputs(loading.parse(data)))
        ]
        reached = None if shapes == [list(rows.shape[1:])] else ANOTHER
    if reached is None or reached > ANOTHER:
        return None
    cause = misconceptions.another_module
    return Finding(
        "fp32.onnx: the module that is given",
        "a model that computes something else",
        cause,
        READ["fp32.onnx"],
    )


def computes_the_same(view: View) -> Finding | None:
    """The weights are the module's to the bit; each ONNX file reaches its SQNR on the example, and
    on fresh rows in other numbers.
    """
    stored = load(view.answer.files[WEIGHTS]) if WEIGHTS in view.answer.files else {}
    state = ask.weights(view.case)
    if any(
        name in state and array.tobytes() != state[name].tobytes() for name, array in stored.items()
    ):
        cause = misconceptions.weights_of_float16
        return Finding(
            f"{WEIGHTS}: the module's numbers, to the bit",
            "other numbers",
            cause,
            "day-50/07-safetensors#dtypes",
        )
    for name, data in models(view.answer):
        try:
            found = {"example": artefacts.evaluate(data, ask.example(view.case))}
        except Exception as error:
            return _does_not_run(
                view.case, name, loading.first_line(error), "the rows of the example"
            )
        try:
            found["fresh"] = artefacts.evaluate(data, cases.fresh(view.case), split=True)
        except Exception as error:
            return _does_not_run(view.case, name, loading.first_line(error), "one row, or seven")
        for rows, outputs in found.items():
            reached = artefacts.sqnr(view.reference[rows], outputs)
            if reached < LEAST[name]:
                return _too_far(view.case, name, loading.parse(data), rows, reached)
    return None


def _does_not_run(case: Case, name: str, error: str, rows: str) -> Finding:
    cause = misconceptions.rows_inside
    found = f"on {rows}: {error}" if case.public else f"it does not run on {rows}"
    return Finding(f"{name}: it runs for any number of rows", found, cause, READ["fp32.onnx"])


def _too_far(case: Case, name: str, model: ModelProto, rows: str, reached: float) -> Finding:
    where = "the example" if rows == "example" else "other rows like the example's"
    expected = (
        f"{name}: an SQNR of {LEAST[name]:.0f} dB against the module in evaluation mode, on {where}"
    )
    found = f"{reached:.1f} dB" if case.public and np.isfinite(reached) else "less"
    if _in_training(model):
        cause = misconceptions.training_export
        return Finding(
            expected, f"{found}: the module in training mode", cause, f"{EXPORT}#validate"
        )
    cause = {
        "fp32.onnx": "Nothing is rounded here: another module was exported, or the export lost something. Compare layer by layer.",
        "fp16.onnx": "Float16 has 11 significant bits, worth more than this: something was converted twice, or overflows.",
        "int8.onnx": misconceptions.zero_calibration,
    }[name]
    return Finding(
        expected, found, cause, f"{INT8}#calibration" if name == "int8.onnx" else f"{FP16}#range"
    )


def _in_training(model: ModelProto) -> bool:
    for node in graphs.nodes(model):
        training = any(
            attribute.name == "training_mode" and attribute.i for attribute in node.attribute
        )
        if node.op_type == "Dropout" or (node.op_type == "BatchNormalization" and training):
            return True
    return False

"""The rungs of `capstone` up to numerics: what is in the directory is what was asked for. `audit`
holds the passport against it.

A hidden case's finding names no value of the answer: what a student's code writes could carry the
hidden input out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load

from formatlab import graphs, loading, numerics, quantized
from formatlab.loading import Caps, Unloadable
from formatlab_exercises.capstone import ask, passport
from formatlab_exercises.capstone.ask import PASSPORT, REPORT
from formatlab_exercises.capstone.judge import artefacts, cases, findings, schema
from formatlab_exercises.capstone.judge.findings import (
    BATCH,
    EXPORT,
    INPUT,
    LEAST,
    OUTPUT,
    READ,
    STORED,
)
from formatlab_exercises.capstone.judge.misconceptions import Mistakes
from formatlab_exercises.capstone.passport import MODELS, PAGE, WEIGHTS
from formatlab_exercises.shared.judge.quantized_loading import known_operators
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known
from nbjudge.wire import MAX_ANSWER, WireError, safe_json

# `com.microsoft` holds operators that quantizers write.
DOMAINS = frozenset({"", "com.microsoft"})
# At 0 dB the difference is as large as the output itself. What is exported in training mode is
# nearer.
ANOTHER = 0.0
# On how many rows a file is tried that fails on all of the example's: an export may hold the number
# of rows that it was made with.
FEWER = (32, 16, 8, 4, 2, 1)
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


def models(answer: Answer) -> Iterator[tuple[str, bytes]]:
    """The ONNX files of the answer, in the order of the pipeline."""
    return ((name, answer.files[name]) for name in MODELS if name in answer.files)


def is_passport(view: View) -> Finding | None:
    """The function returns a dict that JSON can hold, with the keys and types of the schema."""
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
    problem = schema.problem(read_passport(view.answer))
    if problem:
        place, words = problem
        return Finding(f"{place}: {words}", "something else, or nothing", Mistakes.no_imports)
    return None


def loads(view: View) -> Finding | None:
    """There is an fp32.onnx, and every file is accepted by what reads it."""
    if "fp32.onnx" not in view.answer.files:
        return Finding("fp32.onnx in the directory", "no such file", Mistakes.other_folder)
    has_data_file = known(report(view.answer))["data"]
    for name, data in models(view.answer):
        try:
            _validate(view.case, data)
        except Unloadable as problem:
            return findings.refused(view.case, name, data, problem, has_data_file)
    return _unread_weights(view)


def _unread_weights(view: View) -> Finding | None:
    if WEIGHTS in view.answer.files:
        try:
            load(view.answer.files[WEIGHTS])
        except (SafetensorError, KeyError, ValueError, TypeError):
            return Finding(
                f"{WEIGHTS} that safetensors reads",
                "a file of another format",
                Mistakes.pickled,
            )
    return None


def _validate(case: Case, data: bytes) -> None:
    count = cases.parameters(ask.weights(case))
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


def keeps_contract(view: View) -> Finding | None:
    """The module is as it was; every ONNX file has the signature; the weights have the module's
    names, dtypes and shapes.
    """
    finding = findings.changed_arguments(known(report(view.answer))["changed"])
    return finding or _wrong_signature(view) or _other_weights(view)


def _wrong_signature(view: View) -> Finding | None:
    sizes = ask.example(view.case).shape[1:]
    classes = view.reference["example"].shape[1]
    wanted = {
        "input": {"name": INPUT, "dtype": "float32", "shape": [BATCH, *sizes]},
        "output": {"name": OUTPUT, "dtype": "float32", "shape": [BATCH, classes]},
    }
    for name, data in models(view.answer):
        model = loading.parse(data)
        values = {"input": artefacts.stored_inputs(model), "output": list(model.graph.output)}
        for kind in wanted:
            found = artefacts.signature(values[kind])
            if found != [wanted[kind]]:
                return findings.signature(view.case, name, kind, wanted[kind], found)
    return None


def _other_weights(view: View) -> Finding | None:
    if WEIGHTS not in view.answer.files:
        return None
    wanted, stored = (
        {key: (value.dtype, value.shape) for key, value in which.items()}
        for which in (ask.weights(view.case), load(view.answer.files[WEIGHTS]))
    )
    if wanted == stored:
        return None
    return Finding(
        f"{WEIGHTS}: the module's state_dict",
        "other names, dtypes or shapes",
        Mistakes.parameters_only,
    )


def is_what_it_says(view: View) -> Finding | None:
    """Four files with four entries, and in each ONNX file the constants of the type that its name
    promises.
    """
    return _missing(view) or next(
        filter(None, (_other_contents(view.case, *each) for each in models(view.answer))), None
    )


def _missing(view: View) -> Finding | None:
    listed = schema.entries(read_passport(view.answer))
    for name in passport.FILES:
        expected = f"{name}, and its entry in the passport"
        if name not in view.answer.files:
            return Finding(expected, "no such file", Mistakes.no_int8)
        if name not in listed:
            found = "the file, and no entry in the passport"
            return Finding(expected, found, Mistakes.no_int8)
    return None


def _other_contents(case: Case, name: str, data: bytes) -> Finding | None:
    if graphs.constant_outputs(loading.parse(data)):
        expected, found = f"{name}: an output that depends on the input", "one that does not"
        cause = "The output of one run is stored in the file. Other rows need another output."
        return Finding(expected, found, cause, f"{EXPORT}#validate")
    numbers = cases.parameters(ask.weights(case))
    held = artefacts.share(data, artefacts.STORED[name], numbers)
    return findings.stored(case, name, data, held, numbers) if held < STORED else None


def is_of_the_module(view: View) -> Finding | None:
    """fp32.onnx is made of the module that was given. One that is only worse than asked is left to
    `computes_the_same`.
    """
    reached = _sqnr_where_it_runs(view)
    if reached is None:
        return findings.NEVER_RUNS
    if reached > ANOTHER:
        return None
    return Finding(
        "fp32.onnx: the module that is given",
        "a model that computes something else",
        Mistakes.another_module,
        READ["fp32.onnx"],
    )


def _sqnr_where_it_runs(view: View) -> float | None:
    """The SQNR of fp32.onnx on the example, or on its first rows; None if it runs on no number of them."""
    data, rows = view.answer.files["fp32.onnx"], ask.example(view.case)
    for count in (len(rows), *FEWER):
        try:
            found = artefacts.evaluate_as_declared(data, rows[:count])
        except numerics.TooExpensive:
            return None
        except Exception:  # of whichever runtime
            continue
        return artefacts.sqnr(view.reference["example"][:count], found)
    return None


def computes_the_same(view: View) -> Finding | None:
    """The weights are the module's to the bit; each ONNX file reaches its SQNR on the example, and
    on fresh rows in other numbers.
    """
    return (
        _few_files(view)
        or _other_numbers(view)
        or next(filter(None, (_other_outputs(view, *each) for each in models(view.answer))), None)
    )


def _few_files(view: View) -> Finding | None:
    """One file may be missing. Of fewer than three nothing is said by those that are there."""
    there = sum(name in view.answer.files for name in passport.FILES)
    if there > len(passport.FILES) // 2:
        return None
    expected, found = "four files with the module's numbers", f"{there} of them"
    return Finding(expected, found, Mistakes.no_int8)


def _other_numbers(view: View) -> Finding | None:
    stored = load(view.answer.files[WEIGHTS]) if WEIGHTS in view.answer.files else {}
    state = ask.weights(view.case)
    if all(
        stored[name].tobytes() == state[name].tobytes() for name in stored.keys() & state.keys()
    ):
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
        return findings.does_not_run(view.case, name, loading.first_line(error), rows)
    for rows, outputs in found.items():
        reached = artefacts.sqnr(view.reference[rows], outputs)
        if reached < LEAST[name]:
            return findings.too_far(view.case, name, loading.parse(data), rows, reached)
    return None

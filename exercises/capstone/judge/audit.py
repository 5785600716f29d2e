"""The last rung of `capstone`: the passport is held, line by line, against the files and against
the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autograder.contract import Answer, Case, Finding, View
from autograder.findings import Misconception
from exercises.capstone import ask, passport
from exercises.capstone.judge import artefacts, findings, rungs, schema
from exercises.capstone.judge.misconceptions import Mistakes
from exercises.capstone.passport import MODELS, PAGE, WEIGHTS
from workbench import graphs

# How far a claimed SQNR may lie outside of what the right ways to run the file give: they differ by
# where they round.
MARGIN = 1.0
SQNR = f"{findings.INT8}#sqnr"
CAUSES = {
    "producer": Mistakes.invented_producer,
    "ir_version": Mistakes.constant_ir,
    "inputs": Mistakes.example_shape,
    "outputs": "The signature stands in graph.output: name, dtype, and each dimension's dim_param or dim_value.",
}


def tells_the_truth(view: View) -> Finding | None:
    """Every entry says what its file is, the budget is the given one, the choice follows from the
    entries.
    """
    found = rungs.read_passport(view.answer)
    entries = schema.entries(found)
    for name, entry in entries.items():
        if name in view.answer.files:
            finding = _entry(view.case, name, entry, view.answer.files[name], view.answer)
            if finding:
                return finding
    for name in reversed(MODELS):  # what was computed wrongly shows best where the noise is loudest
        if name in view.answer.files and name in entries:
            finding = _sqnr(
                view.case, name, entries, view.answer.files[name], view.reference["example"]
            )
            if finding:
                return finding
    return _choice(view.case, found, entries)


def _entry(case: Case, name: str, entry: Mapping, data: bytes, answer: Answer) -> Finding | None:
    truth = artefacts.describe_weights(data) if name == WEIGHTS else artefacts.describe(data)
    claims = dict(entry, sha256=entry["sha256"].lower(), elements=_without_zeros(entry["elements"]))
    if "opset_imports" in claims:
        claims["opset_imports"] = {
            graphs.domain(key): version for key, version in entry["opset_imports"].items()
        }
        claims |= {
            kind: [{key: one[key] for key in ("name", "dtype", "shape")} for one in entry[kind]]
            for kind in ("inputs", "outputs")
        }
        claims["producer"] = {key: entry["producer"][key] for key in ("name", "version")}
    wrong = [
        key
        for key in truth
        if claims[key] != (_without_zeros(truth[key]) if key == "elements" else truth[key])
    ]
    if not wrong:
        return None
    if "bytes" in wrong and "sha256" in wrong:
        text = "a size and a hash of something else"
        return Finding(f"{name}: the size and the hash of the file", text, Mistakes.first_passport)
    key = wrong[0]
    text, cause = {
        "sha256": lambda: _hash(claims, answer),
        "bytes": lambda: _bytes(name, claims, data),
        "opset_imports": lambda: _imports(claims, truth),
        "elements": lambda: _histogram(name, claims, data),
    }.get(key, lambda: ("something else", CAUSES[key]))()
    shown = (
        f": {truth[key]!r}"[:200]
        if case.public and key in ("producer", "ir_version", "opset_imports", "elements", "bytes")
        else ""
    )
    return Finding(f"{name}: {key} as the file has it{shown}", text, cause, PAGE)


def _hash(claims: Mapping, answer: Answer) -> tuple[str, str]:
    hashes = {
        name: artefacts.hash_of(data)
        for name, data in answer.files.items()
        if name in passport.FILES
    }
    if claims["sha256"] in hashes.values():
        return "the hash of another of the files", Mistakes.one_hash
    cause = Mistakes.early_hash
    return "the hash of something else", cause


def _bytes(name: str, claims: Mapping, data: bytes) -> tuple[str, str]:
    if name != WEIGHTS and claims["bytes"] == artefacts.tensor_bytes(data):
        return ("the size of its initializers", Mistakes.size_of_weights)
    cause = "Take the size of the file on the disk, after it was written for the last time: path.stat().st_size."
    return "another number", cause


def _imports(claims: Mapping, truth: Mapping) -> tuple[str, str]:
    if claims["opset_imports"].items() < truth["opset_imports"].items():
        cause = Mistakes.first_import
        return f"{len(claims['opset_imports'])} of {len(truth['opset_imports'])} imports", cause
    return "other imports", Mistakes.newest_opset


def _histogram(name: str, claims: Mapping, data: bytes) -> tuple[str, str]:
    if name != WEIGHTS and claims["elements"] == _without_zeros(artefacts.tensor_counts(data)):
        return "the number of tensors", Mistakes.counts_tensors
    cause = Mistakes.float_elements
    return "other numbers", cause


def _sqnr(
    case: Case, name: str, entries: Mapping[str, Mapping], data: bytes, expected: np.ndarray
) -> Finding | None:
    claimed = float(entries[name]["sqnr_db"])
    measured: list[float] = []
    try:
        for outputs in artefacts.evaluations(data, ask.example(case)):
            measured.append(artefacts.sqnr(expected, outputs))
            if min(measured) - MARGIN <= claimed <= max(measured) + MARGIN:
                return None
    except Exception:
        # Of whichever runtime: a file that no runtime runs has broken `numerics`, and has no SQNR.
        if not measured:
            return None
    truth = measured[0]
    wanted = f"{name}: sqnr_db as measured on the example"
    wanted += f", {truth:.1f}" if case.public else ""
    shown = f"{claimed:.1f}" if case.public else "more" if claimed > truth else "less"
    others = [
        entry["sqnr_db"] for other, entry in entries.items() if other in MODELS and other != name
    ]
    how, cause = _mistaken(name, claimed, truth, others)
    return Finding(wanted, f"{shown}{how}", cause, SQNR)


def _mistaken(
    name: str, claimed: float, truth: float, others: Sequence[float]
) -> tuple[str, Misconception]:
    """How a claimed SQNR is wrong, and the misconception behind it."""
    if claimed > artefacts.BEST + MARGIN:
        return ": beyond the end of the scale", Mistakes.uncapped
    if name != "fp32.onnx" and claimed > artefacts.BEST - MARGIN:
        return ": no noise at all", Mistakes.no_noise
    if claimed in others:
        return ", as for another file", Mistakes.one_number
    if abs(claimed - 2 * truth) < 2 * MARGIN:
        return ": twice the decibels", Mistakes.twenty_log
    if abs(claimed + truth) < MARGIN:
        return ": the sign is turned", Mistakes.sign_turned
    return "", Mistakes.typical_numbers


def _choice(case: Case, found: Mapping, entries: Mapping[str, Mapping]) -> Finding | None:
    budget, chosen = case.parameters["budget"], found["chosen"]
    if any(found["budget"][key] != budget[key] for key in ("bytes", "sqnr_db")):
        return Finding(
            "budget: the one that the function was given", "other numbers", Mistakes.kilobytes
        )
    fitting = [
        name
        for name in MODELS
        if name in entries
        and entries[name]["bytes"] <= budget["bytes"]
        and entries[name]["sqnr_db"] >= budget["sqnr_db"]
    ]
    first = fitting[0] if fitting else None
    if chosen != first:
        text, cause = _chosen(case, entries, budget, chosen)
        shown = f", {first}" if case.public else ""
        return Finding(
            f"chosen: the first file of the pipeline that meets the budget, None if none does{shown}",
            text,
            cause,
            PAGE,
        )
    if found["met"] is not (first is not None):
        return Finding(
            "met: True if a file meets the budget, False if none does",
            "the opposite of what the entries say",
            Mistakes.always_met,
        )
    return None


def _chosen(
    case: Case, entries: Mapping[str, Mapping], budget: Mapping, chosen: str | None
) -> tuple[str, str]:
    if chosen is None:
        return "None, and there is one", Mistakes.gives_up
    if chosen not in entries:
        return f"{chosen}, which has no entry", "What is chosen has to be among the files."
    if entries[chosen]["bytes"] > budget["bytes"]:
        numbers = f"The file has {entries[chosen]['bytes']} bytes by its own entry, and the budget allows {budget['bytes']}. "
        cause = Mistakes.too_large.told(numbers=numbers if case.public else "")
        return f"{chosen}, which is too large", cause
    if entries[chosen]["sqnr_db"] < budget["sqnr_db"]:
        numbers = f"The file has {entries[chosen]['sqnr_db']:.1f} dB by its own entry, and the budget asks for {budget['sqnr_db']:.1f}. "
        cause = Mistakes.too_coarse.told(numbers=numbers if case.public else "")
        return f"{chosen}, which is not exact enough", cause
    cause = Mistakes.always_int8
    return f"{chosen}, which is smaller than it has to be", cause


def _without_zeros(elements: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in elements.items() if count}

"""The last rung of `capstone`: the passport is held, line by line, against the files and against the budget."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from autograder.contract import Answer, Case, Finding, Reference
from exercises.capstone import ask, passport
from exercises.capstone.judge import artefacts, rungs, schema
from exercises.capstone.passport import MODELS, PAGE, WEIGHTS
from workbench import graphs

# How far a claimed SQNR may lie outside of what the right ways to run the file give: they differ by where they round.
MARGIN = 1.0
SQNR = f"{rungs.INT8}#sqnr"
BOTH = "A file is chosen only if it meets both numbers of the budget; if none does, `chosen` is None."
CAUSES = {
    "producer": "A file says itself which program wrote it last, and that is not who you think: read producer_name and producer_version.",
    "ir_version": "The IR version is a field of the model, and tools that write a file anew may change it.",
    "inputs": "The signature stands in graph.input: name, dtype, and each dimension's dim_param or dim_value.",
    "outputs": "The signature stands in graph.output: name, dtype, and each dimension's dim_param or dim_value.",
}


def tells_the_truth(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Every entry says what its file is, the budget is the given one, the choice follows from the entries."""
    found = rungs.read_passport(answer)
    entries = schema.entries(found)
    for name, entry in entries.items():
        if name in answer.files:
            finding = _entry(case, name, entry, answer.files[name], answer)
            if finding:
                return finding
    for name in reversed(MODELS):  # what was computed wrongly shows best where the noise is loudest
        if name in answer.files and name in entries:
            finding = _sqnr(case, name, entries, answer.files[name], reference["example"])
            if finding:
                return finding
    return _choice(case, found, entries)


def _entry(case: Case, name: str, entry: Mapping, data: bytes, answer: Answer) -> Finding | None:
    truth = artefacts.describe_weights(data) if name == WEIGHTS else artefacts.describe(data)
    claims = dict(entry, sha256=entry["sha256"].lower(), elements=_without_zeros(entry["elements"]))
    if "opset_imports" in claims:
        claims["opset_imports"] = {graphs.domain(key): version for key, version in entry["opset_imports"].items()}
        claims |= {kind: [{key: one[key] for key in ("name", "dtype", "shape")} for one in entry[kind]] for kind in ("inputs", "outputs")}
        claims["producer"] = {key: entry["producer"][key] for key in ("name", "version")}
    wrong = [key for key in truth if claims[key] != (_without_zeros(truth[key]) if key == "elements" else truth[key])]
    if not wrong:
        return None
    if "bytes" in wrong and "sha256" in wrong:
        text = "a size and a hash of something else"
        cause = "The entry was written for another file, or before this one was there. A passport is made from the files, at the end."
        return Finding(f"{name}: the size and the hash of the file", text, cause, PAGE)
    key = wrong[0]
    text, cause = {
        "sha256": lambda: _hash(claims, answer),
        "bytes": lambda: _bytes(name, claims, data),
        "opset_imports": lambda: _imports(claims, truth),
        "elements": lambda: _histogram(name, claims, data),
    }.get(key, lambda: ("something else", CAUSES[key]))()
    shown = f": {truth[key]!r}"[:200] if case.public and key in ("producer", "ir_version", "opset_imports", "elements", "bytes") else ""
    return Finding(f"{name}: {key} as the file has it{shown}", text, cause, PAGE)


def _hash(claims: Mapping, answer: Answer) -> tuple[str, str]:
    hashes = {name: artefacts.hash_of(data) for name, data in answer.files.items() if name in passport.FILES}
    if claims["sha256"] in hashes.values():
        return "the hash of another of the files", "Each file has a hash of its own. One was computed, and written into several entries."
    cause = "The hash was taken before the file was written for the last time, or of something that is not the file's bytes."
    return "the hash of something else", cause


def _bytes(name: str, claims: Mapping, data: bytes) -> tuple[str, str]:
    if name != WEIGHTS and claims["bytes"] == artefacts.tensor_bytes(data):
        return (
            "the size of its initializers",
            "The graph around the weights takes room too: ask the file system.",
        )
    cause = "Take the size of the file on the disk, after it was written for the last time: path.stat().st_size."
    return "another number", cause


def _imports(claims: Mapping, truth: Mapping) -> tuple[str, str]:
    if claims["opset_imports"].items() < truth["opset_imports"].items():
        cause = "A model imports several operator sets, in any order: go over all of opset_import, not only opset_import[0]."
        return f"{len(claims['opset_imports'])} of {len(truth['opset_imports'])} imports", cause
    return "other imports", "What was asked of the exporter is not what it wrote, and tools raise versions. Read the file's opset_import."


def _histogram(name: str, claims: Mapping, data: bytes) -> tuple[str, str]:
    if name != WEIGHTS and claims["elements"] == _without_zeros(artefacts.tensor_counts(data)):
        return "the number of tensors", "Elements are counted, not tensors: a weight of shape (100, 512) has 51200."
    cause = "For each dtype, the elements of all tensors together: a tensor without dimensions has one."
    return "other numbers", cause


def _sqnr(case: Case, name: str, entries: Mapping[str, Mapping], data: bytes, expected: np.ndarray) -> Finding | None:
    claimed = float(entries[name]["sqnr_db"])
    measured: list[float] = []
    try:
        for outputs in artefacts.evaluations(data, ask.example(case)):
            measured.append(artefacts.sqnr(expected, outputs))
            if min(measured) - MARGIN <= claimed <= max(measured) + MARGIN:
                return None
    except Exception:  # of whichever runtime: a file that no runtime runs has broken `numerics`, and has no SQNR
        if not measured:
            return None
    truth = measured[0]
    wanted = f"{name}: sqnr_db as measured on the example" + (f", {truth:.1f}" if case.public else "")
    shown = f"{claimed:.1f}" if case.public else "more" if claimed > truth else "less"
    others = [entry["sqnr_db"] for other, entry in entries.items() if other in MODELS and other != name]
    if claimed > artefacts.BEST + MARGIN:
        text, cause = f"{shown}: beyond the end of the scale", "Above 100 dB the number depends on the order of a sum. Write 100."
    elif name != "fp32.onnx" and claimed > artefacts.BEST - MARGIN:
        text, cause = (
            f"{shown}: no noise at all",
            "Rounding leaves noise. The file was compared with itself, or the number is a constant.",
        )
    elif claimed in others:
        text, cause = f"{shown}, as for another file", "One number stands in several entries. Each file is measured against the module."
    elif abs(claimed - 2 * truth) < 2 * MARGIN:
        text, cause = f"{shown}: twice the decibels", "20 log10 is for a ratio of amplitudes. A ratio of sums of squares takes 10 log10."
    elif abs(claimed + truth) < MARGIN:
        text, cause = f"{shown}: the sign is turned", "The signal stands above the noise in the fraction: less noise, more decibels."
    else:
        text = shown
        cause = "It was measured on other rows, against a module in training mode, or against another file than the module's own output."
    return Finding(wanted, text, cause, SQNR)


def _choice(case: Case, found: Mapping, entries: Mapping[str, Mapping]) -> Finding | None:
    budget, chosen = case.parameters["budget"], found["chosen"]
    if any(found["budget"][key] != budget[key] for key in ("bytes", "sqnr_db")):
        cause = "A passport repeats what was asked for, so that its reader can check the verdict."
        return Finding("budget: the one that the function was given", "other numbers", cause, PAGE)
    fitting = [
        name
        for name in MODELS
        if name in entries and entries[name]["bytes"] <= budget["bytes"] and entries[name]["sqnr_db"] >= budget["sqnr_db"]
    ]
    first = fitting[0] if fitting else None
    if chosen != first:
        text, cause = _chosen(case, entries, budget, chosen)
        shown = f", {first}" if case.public else ""
        return Finding(f"chosen: the first file of the pipeline that meets the budget, None if none does{shown}", text, cause, PAGE)
    if found["met"] is not (first is not None):
        cause = "The verdict follows from the entries above it. A passport that always says yes is worth nothing."
        return Finding("met: True if a file meets the budget, False if none does", "the opposite of what the entries say", cause, PAGE)
    return None


def _chosen(case: Case, entries: Mapping[str, Mapping], budget: Mapping, chosen: str | None) -> tuple[str, str]:
    if chosen is None:
        return "None, and there is one", "The verdict says less than the entries: compare each with both numbers of the budget."
    if chosen not in entries:
        return f"{chosen}, which has no entry", "What is chosen has to be among the files."
    if entries[chosen]["bytes"] > budget["bytes"]:
        numbers = f"The file has {entries[chosen]['bytes']} bytes by its own entry, and the budget allows {budget['bytes']}. "
        cause = f"{numbers if case.public else ''}{BOTH}"
        return f"{chosen}, which is too large", cause
    if entries[chosen]["sqnr_db"] < budget["sqnr_db"]:
        numbers = f"The file has {entries[chosen]['sqnr_db']:.1f} dB by its own entry, and the budget asks for {budget['sqnr_db']:.1f}. "
        cause = f"{numbers if case.public else ''}{BOTH}"
        return f"{chosen}, which is not exact enough", cause
    cause = "A file that comes before it meets the budget too. Precision that the budget leaves is not given away."
    return f"{chosen}, which is smaller than it has to be", cause


def _without_zeros(elements: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in elements.items() if count}

"""The rungs of `capstone` about the passport: it is held, line by line, against the files and
against the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from formatlab import graphs, loading
from formatlab_exercises.capstone import ask, passport
from formatlab_exercises.capstone.judge import artefacts, rungs, schema
from formatlab_exercises.capstone.judge.misconceptions import Mistakes
from formatlab_exercises.capstone.passport import MODELS, PAGE, WEIGHTS
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, Misconception

# How far a claimed SQNR may lie outside of what the right ways to run the file give: they differ by
# where they round.
MARGIN = 1.0
IDENTITY = ("sha256", "bytes")
CONTENTS = ("producer", "ir_version", "opset_imports", "inputs", "outputs", "elements")
SQNR = f"{rungs.INT8}#sqnr"
# What an entry has of these is shown for a public case.
SHOWN = frozenset({"producer", "ir_version", "opset_imports", "elements", "bytes"})
CAUSES: dict[str, Cause] = {
    "producer": Mistakes.invented_producer,
    "ir_version": Mistakes.constant_ir,
    "inputs": Mistakes.example_shape,
    "outputs": "The signature stands in graph.output: name, dtype, and each dimension's dim_param or dim_value.",
}


def has_hash_and_size(view: View) -> Finding | None:
    """Every entry has the hash and the size of its file."""
    return _undescribed(view, set(IDENTITY)) or _untrue(view, IDENTITY)


def says_what_the_file_says(view: View) -> Finding | None:
    """Every entry has what its file says of itself."""
    return _undescribed(view, set(CONTENTS)) or _untrue(view, CONTENTS)


def has_the_sqnr(view: View) -> Finding | None:
    """Every model's entry has the SQNR that its file has on the example."""
    if finding := _undescribed(view, {"sqnr_db"}):
        return finding
    entries = schema.entries(rungs.read_passport(view.answer))
    for name in reversed(MODELS):  # what was computed wrongly shows best where the noise is loudest
        is_there = name in view.answer.files and name in entries
        if is_there and rungs.is_readable(view, name):
            finding = _sqnr(
                view.case, name, entries, view.answer.files[name], view.reference["example"]
            )
            if finding:
                return finding
    return None


def decides(view: View) -> Finding | None:
    """The budget is the given one, and the choice follows from the entries of three models."""
    if finding := _undescribed(view, {"budget", "chosen", "met", "bytes", "sqnr_db"}):
        return finding
    found = rungs.read_passport(view.answer)
    entries = schema.entries(found)
    if not entries.keys() >= set(MODELS):
        expected, text = "a choice among three ONNX files", "entries of fewer"
        return Finding(expected, text, Mistakes.no_int8)
    return _choice(view.case, found, entries)


def _undescribed(view: View, lines: Set[str]) -> Finding | None:
    """What is wrong with these lines of a passport before they are held against the files: one is
    missing or of another type, a file has no entry, or half of the files are missing or unreadable.
    """
    found = rungs.read_passport(view.answer)
    problem = schema.problem(found, lines)
    if problem:
        place, words = problem
        return Finding(f"{place}: {words}", "something else, or nothing", Mistakes.no_imports)
    there = view.answer.files.keys() & set(passport.FILES)
    silent = there - schema.entries(found).keys()
    if silent:
        expected, text = "an entry for each file", f"{len(silent)} of the files have none"
        return Finding(expected, text, Mistakes.no_int8)
    readable = [name for name in there if rungs.is_readable(view, name)]
    if len(readable) <= len(passport.FILES) // 2:
        expected, text = (
            "four files that can be read, each with an entry",
            f"{len(readable)} of them",
        )
        return Finding(expected, text, Mistakes.no_int8)
    return None


def _untrue(view: View, lines: Sequence[str]) -> Finding | None:
    """A line that its file does not bear out. Of a file that nothing reads, which another item says,
    there is nothing to compare but its bytes.
    """
    for name, entry in schema.entries(rungs.read_passport(view.answer)).items():
        is_there = name in view.answer.files
        if is_there and (lines is IDENTITY or rungs.is_readable(view, name)):
            finding = _entry(view, name, entry, lines)
            if finding:
                return finding
    return None


def _entry(view: View, name: str, entry: Mapping, lines: Sequence[str]) -> Finding | None:
    data = view.answer.files[name]
    if lines is IDENTITY:
        truth = {"sha256": artefacts.hash_of(data), "bytes": len(data)}
    else:
        whole = artefacts.describe_weights(data) if name == WEIGHTS else artefacts.describe(data)
        truth = {key: found for key, found in whole.items() if key in lines}
    claims = _claims(entry, lines)
    wrong = [key for key, found in truth.items() if claims[key] != _spelt(key, found)]
    if not wrong:
        return None
    if "bytes" in wrong and "sha256" in wrong:
        text = "a size and a hash of something else"
        return Finding(f"{name}: the size and the hash of the file", text, Mistakes.first_passport)
    key = wrong[0]
    looks: dict[str, Callable[[], tuple[str, Cause]]] = {
        "sha256": lambda: _hash(claims, view.answer),
        "bytes": lambda: _bytes(view, name, claims),
        "opset_imports": lambda: _imports(claims, truth),
        "elements": lambda: _histogram(name, claims, data),
    }
    text, cause = looks[key]() if key in looks else ("something else", CAUSES[key])
    shown = f": {truth[key]!r}"[:200] if view.case.public and key in SHOWN else ""
    return Finding(f"{name}: {key} as the file has it{shown}", text, cause, PAGE)


def _claims(entry: Mapping, lines: Sequence[str]) -> dict:
    """What an entry says in these lines, without what a student may add."""
    return {key: _spelt(key, entry[key]) for key in lines if key in entry}


def _spelt(key: str, found: Any) -> Any:
    """What stands in a line, spelt as `artefacts.describe` spells it."""
    if key == "sha256":
        return found.lower()
    if key == "elements":
        return _without_zeros(found)
    if key == "opset_imports":
        return {graphs.domain(each): version for each, version in found.items()}
    if key == "producer":
        return {each: found[each] for each in ("name", "version")}
    if key in ("inputs", "outputs"):
        return [{each: one[each] for each in ("name", "dtype", "shape")} for one in found]
    return found


def _hash(claims: Mapping, answer: Answer) -> tuple[str, Cause]:
    hashes = {
        name: artefacts.hash_of(data)
        for name, data in answer.files.items()
        if name in passport.FILES
    }
    if claims["sha256"] in hashes.values():
        return "the hash of another of the files", Mistakes.one_hash
    cause = Mistakes.early_hash
    return "the hash of something else", cause


def _bytes(view: View, name: str, claims: Mapping) -> tuple[str, Cause]:
    is_model = name != WEIGHTS and rungs.is_readable(view, name)
    if is_model and claims["bytes"] == artefacts.tensor_bytes(view.answer.files[name]):
        return ("the size of its initializers", Mistakes.size_of_weights)
    cause = "Take the size of the file on the disk, after it was written for the last time: path.stat().st_size."
    return "another number", cause


def _imports(claims: Mapping, truth: Mapping) -> tuple[str, Cause]:
    if claims["opset_imports"].items() < truth["opset_imports"].items():
        cause = Mistakes.first_import
        return f"{len(claims['opset_imports'])} of {len(truth['opset_imports'])} imports", cause
    return "other imports", Mistakes.newest_opset


def _histogram(name: str, claims: Mapping, data: bytes) -> tuple[str, Cause]:
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
    if truth < rungs.LEAST[name] and rungs.in_training(loading.parse(data)):
        return None  # other numbers on each run, for which it has broken `numerics`
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
        expected = "budget: the one that the function was given"
        return Finding(expected, "other numbers", Mistakes.kilobytes)
    first = next((name for name in MODELS if _fits(entries.get(name), budget)), None)
    if chosen != first:
        text, cause = _chosen(case, entries, budget, chosen)
        expected = "chosen: the first file of the pipeline that meets the budget, None if none does"
        return Finding(expected + (f", {first}" if case.public else ""), text, cause, PAGE)
    if found["met"] is (first is not None):
        return None
    expected = "met: True if a file meets the budget, False if none does"
    return Finding(expected, "the opposite of what the entries say", Mistakes.always_met)


def _fits(entry: Mapping | None, budget: Mapping) -> bool:
    return (
        entry is not None
        and entry["bytes"] <= budget["bytes"]
        and entry["sqnr_db"] >= budget["sqnr_db"]
    )


def _chosen(
    case: Case, entries: Mapping[str, Mapping], budget: Mapping, chosen: str | None
) -> tuple[str, Cause]:
    if chosen is None:
        return "None, and there is one", Mistakes.gives_up
    if chosen not in entries:
        return f"{chosen}, which has no entry", "What is chosen has to be among the files."
    size, sqnr = entries[chosen]["bytes"], entries[chosen]["sqnr_db"]
    if size > budget["bytes"]:
        numbers = (
            f"The file has {size} bytes by its own entry, and the budget allows {budget['bytes']}. "
        )
        cause = Mistakes.too_large.told(numbers=numbers if case.public else "")
        return f"{chosen}, which is too large", cause
    if sqnr < budget["sqnr_db"]:
        numbers = f"The file has {sqnr:.1f} dB by its own entry, and the budget asks for {budget['sqnr_db']:.1f}. "
        cause = Mistakes.too_coarse.told(numbers=numbers if case.public else "")
        return f"{chosen}, which is not exact enough", cause
    return f"{chosen}, which is smaller than it has to be", Mistakes.always_int8


def _without_zeros(elements: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in elements.items() if count}

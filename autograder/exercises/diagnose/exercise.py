"""`diagnose`: find out what is wrong with a model, by climbing the validation ladder until a rung breaks.

The careless way stops too early (at the checker, at a session that opens) or reads no further than "it raised something". Every case
is a specimen of the museum of broken models, or a healthy model that only looks suspicious.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np

from autograder.exercises.base import Answer, Case, Exercise, Finding, Reference, RungSpec, WrongType, case_seed
from autograder.exercises.diagnose.symptoms import PAGE, PLACES, confused, missed
from autograder.models import museum
from autograder.models.museum import healthy
from autograder.models.museum.exhibit import MODEL, TENSORS, Files, sound
from autograder.models.museum.files import tensor_file, with_external_data
from autograder.rungs import outcome
from autograder.wire import WireError, safe_json

SIGNATURE = "diagnose(path) -> str"
ANSWER = "answer.json"
READ = f"{PAGE}#the-ladder"

# One of each diagnosis, then what is easily overlooked, then healthy models that look broken.
PUBLIC = (
    *("truncated", "lost-data", "no-opset", "misspelt-operator", "two-givers", "dangling-input", "unsorted", "inner-dimensions"),
    *("declared-shape", "foreign-operator", "baked-input", "training-dropout", "transposed-weight", "permuted-labels"),
    *("overlap", "short-data", "ir-too-new", "output-without-giver", "unsorted-branch", "computed-declaration", "float16-overflow"),
    *("healthy-function", "healthy-dropout", "healthy-float16", "healthy-external", "healthy-tensors"),
)
HEALTHY: dict[str, healthy.Family] = {
    "healthy-tabular": healthy.tabular,
    "healthy-tokens": healthy.tokens,
    "healthy-image": healthy.image,
    "healthy-branches": healthy.branches,
    "healthy-function": healthy.with_function,
    "healthy-dropout": healthy.with_idle_dropout,
    "healthy-quantized": healthy.quantized,
    "healthy-integers": healthy.counted,
    "healthy-reshape": healthy.computed_reshape,
    "healthy-float16": healthy.half,
}


def _read(answer: Answer) -> dict | None:
    """The answer that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    try:
        data = safe_json(answer.files.get(ANSWER, b""))
    except WireError:
        return None
    right = isinstance(data, dict) and isinstance(data.get("diagnosis"), str) and isinstance(data.get("changed"), bool)
    return data if right else None


def _expected(reference: Reference) -> str:
    return reference["diagnosis"].tobytes().decode()


def _is_diagnosis(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    finding = outcome.returns("a str, one of DIAGNOSES", READ)(case, answer, reference)
    if finding is not None or answer.outcome != "returned":
        return finding
    data = _read(answer)
    if data is None:
        return Finding("a str", "no readable answer", "The notebook interfered with how the answer is written down.", READ)
    if data["diagnosis"] in museum.DIAGNOSES:
        return None
    found = f"the text {data['diagnosis'][:60]!r}" if case.public else "another text"
    cause = "The text is not in the list, letter for letter: an error's message was returned, or a diagnosis is spelt otherwise."
    return Finding("one of DIAGNOSES", found, cause, READ)


def _stops_at_the_right_part(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    expected, found = _expected(reference), _read(answer)["diagnosis"]
    return None if PLACES[found] == PLACES[expected] else _explain(case, expected, found)


def _is_right(*, about_behaviour: bool):
    def inspect(case: Case, answer: Answer, reference: Reference) -> Finding | None:
        expected, found = _expected(reference), _read(answer)["diagnosis"]
        if (PLACES[expected] == "behaviour") is not about_behaviour or found == expected:
            return None
        return _explain(case, expected, found)

    return inspect


def _explain(case: Case, expected: str, found: str) -> Finding:
    """A public case says what it is and how it came about; a hidden one only what the wrong diagnosis needs to be true."""
    if case.public:
        kind = dict(zip(_names("case", len(PUBLIC)), PUBLIC, strict=True))[case.name]
        symptom = missed(kind, expected, found)
        return Finding(f"{expected}: {museum.DIAGNOSES[expected]}", found, symptom.cause, f"{PAGE}#{symptom.anchor}")
    symptom = confused(found)
    return Finding("the first diagnosis of the list that applies to this file", found, symptom.cause, f"{PAGE}#{symptom.anchor}")


def _is_tidy(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    if not _read(answer)["changed"]:
        return None
    return Finding(
        "the folder is as it was before the call",
        "a file in it was changed, added or removed",
        "The diagnosis wrote beside the model, or repaired it in place. Work on a copy, in memory or in a folder of your own.",
        f"{PAGE}#parse",
    )


class Diagnose(Exercise):
    id = "diagnose"
    assignment = "day-50"
    notebook = "diagnose"
    grade_id = "check-diagnose"
    functions: ClassVar = {"diagnose": SIGNATURE}
    minutes = 60
    # `loads` needs half of the cases at their right part of the ladder, so one diagnosis for everything earns nothing.
    rungs = (
        RungSpec("exists", 0, outcome.exists(SIGNATURE, READ), cap_some=0.7, cap_all=0),
        RungSpec("type", 0, _is_diagnosis, cap_some=0.7, cap_all=0),
        RungSpec("loads", 1.4, _stops_at_the_right_part, cap_some=0.6, cap_all=0),
        RungSpec("structure", 1.2, _is_right(about_behaviour=False), cap_some=0.7, cap_all=0.3),
        RungSpec("numerics", 1.2, _is_right(about_behaviour=True), cap_some=0.7, cap_all=0.3),
        RungSpec("quality", 0.2, _is_tidy, cap_some=0.9, cap_all=0.9),
    )

    def public_cases(self) -> list[Case]:
        return [self._case(name, kind, 0, public=True) for name, kind in zip(_names("case", len(PUBLIC)), PUBLIC, strict=True)]

    def cases(self, seed: int) -> list[Case]:
        kinds = [*museum.EXHIBITS, *HEALTHY, "healthy-external", "healthy-tensors"]
        order = np.random.default_rng(case_seed(seed, self.id, "order")).permutation(len(kinds))
        return [self._case(name, kinds[at], seed) for name, at in zip(_names("hidden", len(kinds)), order, strict=True)]

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        museum.put(case.files, scratch)
        found = functions["diagnose"](scratch / str(case.parameters["path"]))
        if not isinstance(found, str):
            raise WrongType("str", type(found).__name__)
        return {ANSWER: json.dumps({"diagnosis": str(found), "changed": _files(scratch) != dict(case.files)}).encode()}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"diagnosis": np.frombuffer(_read(answer)["diagnosis"].encode(), np.uint8)}

    def _case(self, name: str, kind: str, seed: int, public: bool = False) -> Case:
        own_seed = case_seed(seed, self.id, kind)
        rng = np.random.default_rng(own_seed)
        main, files = files_of(kind, rng)
        return Case(name, files, {"path": main}, public, own_seed)


def files_of(kind: str, rng: np.random.Generator) -> tuple[str, Files]:
    """The file that the case is about, and all files by their paths."""
    match kind:
        case "healthy-tensors":
            return TENSORS, {TENSORS: tensor_file(rng)[0]}
        case "healthy-external":
            return MODEL, with_external_data(healthy.tabular, rng)[0]
        case _ if kind in HEALTHY:
            return MODEL, sound(HEALTHY[kind], rng)[1]
    specimen = museum.EXHIBITS[kind].build(rng)
    return specimen.main, specimen.files


def _names(word: str, count: int) -> Iterator[str]:
    """Names that do not tell what a case is about."""
    yield from (f"{word}-{number:02}" for number in range(1, count + 1))


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


EXERCISE = Diagnose()

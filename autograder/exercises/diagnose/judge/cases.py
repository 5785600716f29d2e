"""The cases of `diagnose`: specimens of the museum of broken models, and healthy models that only look suspicious."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.exercises.base import Case, case_seed
from autograder.models import museum
from autograder.models.museum import healthy
from autograder.models.museum.exhibit import MODEL, TENSORS, Files, sound
from autograder.models.museum.files import tensor_file, with_external_data

ID = "diagnose"
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


def public_cases() -> list[Case]:
    return [_case(name, kind, 0, public=True) for name, kind in zip(_names("case", len(PUBLIC)), PUBLIC, strict=True)]


def cases(seed: int) -> list[Case]:
    kinds = [*museum.EXHIBITS, *HEALTHY, "healthy-external", "healthy-tensors"]
    order = np.random.default_rng(case_seed(seed, ID, "order")).permutation(len(kinds))
    return [_case(name, kinds[at], seed) for name, at in zip(_names("hidden", len(kinds)), order, strict=True)]


def kind_of(case: Case) -> str:
    """What a public case is: an exhibit's name, or that of a healthy model."""
    return dict(zip(_names("case", len(PUBLIC)), PUBLIC, strict=True))[case.name]


def _case(name: str, kind: str, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, ID, kind)
    main, files = files_of(kind, np.random.default_rng(own_seed))
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

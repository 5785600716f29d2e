"""The cases of `diagnose`: specimens of the museum of broken models, and healthy models that only
look suspicious.
"""

from __future__ import annotations

import numpy as np

from formatlab.models import museum
from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import MODEL, TENSORS, Files, sound
from formatlab.models.museum.files import tensor_file, with_external_data
from formatlab_exercises.diagnose.judge import case_faults
from nbjudge.contract import Case, case_seed

ID = "diagnose"
# One of each diagnosis, then what is easily overlooked, then healthy models that look broken.
PUBLIC = (
    *(
        "truncated",
        "lost-data",
        "no-opset",
        "misspelt-operator",
        "two-givers",
        "dangling-input",
        "unsorted",
        "inner-dimensions",
    ),
    *(
        "declared-shape",
        "foreign-operator",
        "baked-input",
        "training-dropout",
        "transposed-weight",
        "permuted-labels",
    ),
    *(
        "overlap",
        "cut-before-graph",
        "short-data",
        "ir-too-new",
        "output-without-giver",
        "unsorted-branch",
        "unsorted-around",
    ),
    *("computed-declaration", "declared-far-inside", "float16-overflow"),
    *(
        "healthy-function",
        "healthy-dropout",
        "healthy-float16",
        "healthy-external",
        "healthy-tensors",
        "healthy-just-enough",
    ),
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
    "healthy-twins": case_faults.with_twins,
    "healthy-node-names": case_faults.with_names_of_values,
    "healthy-nested": case_faults.nested,
}


# By name: what is wrong, and how it comes about.
EXHIBITS = {**museum.EXHIBITS, **case_faults.EXHIBITS}
HIDDEN = "hidden-"
# The kinds of files by their diagnosis.
KINDS_OF: dict[str, tuple[str, ...]] = {
    diagnosis: tuple(name for name, each in EXHIBITS.items() if each.diagnosis == diagnosis)
    for diagnosis in museum.DIAGNOSES
}
KINDS_OF["healthy"] = (
    *(*HEALTHY, *case_faults.HEALTHY_FILES),
    *("healthy-external", "healthy-tensors"),
)


def public_cases() -> list[Case]:
    return [_case(kind, kind, 0, public=True) for kind in PUBLIC]


def cases(seed: int) -> list[Case]:
    kinds = [*EXHIBITS, *KINDS_OF["healthy"]]
    return [_case(f"{HIDDEN}{kind}", kind, seed) for kind in kinds]


def kind_of(case: Case) -> str:
    """What a case is: an exhibit's name, or that of a healthy model."""
    return case.name.removeprefix(HIDDEN)


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
        case _ if kind in case_faults.HEALTHY_FILES:
            return MODEL, case_faults.HEALTHY_FILES[kind](rng)
        case _ if kind in HEALTHY:
            return MODEL, sound(HEALTHY[kind], rng)[1]
    specimen = EXHIBITS[kind].build(rng)
    return specimen.main, specimen.files
